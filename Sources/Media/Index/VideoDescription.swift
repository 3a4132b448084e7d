import CFFmpeg
import Timeline

/// Builds a video stream's entry in the media index.
struct VideoDescription {
  let stream: Demuxer.Stream
  let scan: PacketScan
  let demuxer: Demuxer
  let source: any ByteSource

  /// The entry; `nil` if the stream presents no frame, or if the size of its frames is unknown.
  func videoStream() throws -> VideoStream? {
    if stream.parameters.codec == "png", stream.parameters.pixelFormat.libav == AV_PIX_FMT_NONE,
      let frame = try FirstFrame.decode(source: source, named: demuxer.name, stream: stream.index)
    {
      stream.parameters.setPicture(like: frame)
    }
    guard stream.parameters.size.width > 0, stream.parameters.size.height > 0 else { return nil }
    let builder = FrameTableBuilder(
      packets: scan.packets, starts: scan.keyframes, stream: stream, demuxer: demuxer,
      source: source, missingEnd: scan.missingEnd)
    guard let (frames, missing) = try builder.table() else { return nil }
    let parameters = stream.parameters.pointer.pointee
    let format = stream.parameters.pixelFormat
    var color = stream.parameters.color
    if color.range == nil, format.impliesFullRange { color.range = "pc" }
    let damage = builder.damage(in: frames, missing: missing)
    var described = VideoStream(
      streamIndex: stream.index, codec: stream.parameters.codec, timeBase: stream.timeBase,
      size: stream.parameters.size, pixelFormat: format.name,
      pixelAspectRatio: stream.pixelAspectRatio ?? RationalTime(1),
      cleanAperture: try CleanAperture.read(
        from: source, of: demuxer, stream: stream.index, size: stream.parameters.size),
      orientation: try orientation(), color: color,
      fieldOrder: Self.name(of: parameters.field_order),
      nominalFrameRate: try frameRate(of: frames), parameterSets: stream.parameters.parameterSets,
      frames: frames, hdr: try hdr(transfer: color.transfer),
      copying: demuxer.isStillImage || damage != nil
        ? nil
        : CopyPointFinder(scan: scan, stream: stream, table: frames).points(),
      x264Build: scan.keyframes?.x264Build)
    described.damage = damage
    return described
  }

  /// The stream's HDR metadata, from the container or from the headers before its first frame.
  private func hdr(transfer: String?) throws -> HDRMetadata? {
    guard let transfer, ["smpte2084", "arib-std-b67"].contains(transfer) else { return nil }
    if let hdr = stream.hdr { return hdr }
    return try FirstFrame.decode(source: source, named: demuxer.name, stream: stream.index)?.hdr
  }

  private func orientation() throws -> Orientation {
    let still = demuxer.isStillImage ? try stillImage() : nil
    if let matrix = stream.displayMatrix { return Orientation(displayMatrix: matrix) }
    return still?.exifOrientation ?? .identity
  }

  /// The picture of a still image. It must decode completely: nothing else reveals that the file is cut short.
  private func stillImage() throws -> Frame {
    // libav conceals missing parts of a JPEG, and rejects incomplete pictures of other formats anyway. In strict mode,
    // its TIFF decoder would reject any unknown tag.
    let frame = try FirstFrame.decode(
      source: source, named: demuxer.name, stream: stream.index,
      isStrict: stream.parameters.codec == "mjpeg")
    guard let frame else {
      throw MediaError(
        .damaged, "the picture is damaged or cut short", on: demuxer.name,
        remedy: "copy it again from its source")
    }
    return frame
  }

  /// Exact if all frames are equally long; otherwise the rate that the file states, or else the frames' mean rate.
  private func frameRate(of frames: FrameTable) throws -> RationalTime? {
    guard frames.times.count > 1, let first = frames.times.first, let last = frames.times.last
    else {
      return demuxer.isStillImage ? nil : stream.averageFrameRate
    }
    let step = frames.times[1] - first
    let isConstant = zip(frames.times, frames.times.dropFirst()).allSatisfy { $1 - $0 == step }
    if isConstant { return try RationalTime(1) / (stream.timeBase * step) }
    if let rate = stream.averageFrameRate { return rate }
    return try RationalTime(Int64(frames.times.count - 1)) / (stream.timeBase * (last - first))
  }

  private static func name(of order: AVFieldOrder) -> String {
    switch order {
    case AV_FIELD_PROGRESSIVE: "progressive"
    case AV_FIELD_TT: "tt"
    case AV_FIELD_BB: "bb"
    case AV_FIELD_TB: "tb"
    case AV_FIELD_BT: "bt"
    default: "unknown"
    }
  }
}
