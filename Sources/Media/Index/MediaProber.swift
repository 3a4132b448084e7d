import CFFmpeg
import Timeline

/// Builds an asset's media index by reading every packet once, and decoding only what packets do not reveal.
public enum MediaProber {
  /// The index of the asset in `source`, called `name` in messages.
  ///
  /// If a QuickTime, MP4, Matroska, WebM or AVI file ends before its last packet, the index includes the missing frames
  /// and samples and marks them as damage.
  ///
  /// - Throws: ``MediaError``, with code `truncated` if the file is shorter than its container says and the missing
  ///   packets are unknown, or `unsupportedCodec` if the first video stream cannot be decoded.
  public static func index(of source: any ByteSource, named name: String) throws -> MediaIndex {
    try PictureHeader.checkSize(of: source, named: name)
    let demuxer = try opened(source, named: name)
    let wanted = demuxer.streams.filter { $0.mediaKind != .other }
    guard !wanted.isEmpty else {
      throw MediaError(
        .notMedia, "the file has neither video nor audio", on: name,
        remedy: "use a file that has at least one of them")
    }
    if let picture = wanted.first(where: { $0.mediaKind == .video }),
      AllowedDecoders.decoder(for: picture.parameters) == nil
    {
      throw AllowedDecoders.unsupported(picture.parameters.codec, name)
    }
    let encrypted = try ProtectedTracks.read(from: source, of: demuxer)
    var unreadable = encrypted
    for stream in wanted where unreadable[stream.index] == nil {
      unreadable[stream.index] =
        AllowedDecoders.refusal(of: stream.parameters) ?? stream.dolbyVision?.refusal
    }
    demuxer.select(streams: Set(wanted.map(\.index)))
    var scans = Dictionary(
      uniqueKeysWithValues: wanted.map {
        (
          $0.index,
          PacketScan(kind: $0.mediaKind, format: demuxer.format, fileSize: source.size)
        )
      })
    let missingEnd = try MissingEnd.read(from: source, of: demuxer)
    try scan(demuxer, into: &scans, isCutShort: missingEnd != nil)
    if let missingEnd { try extend(&scans, to: missingEnd, of: demuxer) }
    for (stream, scan) in scans where unreadable[stream] == nil {
      unreadable[stream] = scan.dolbyVision?.refusal(
        statesTransfer: demuxer.streams[stream].parameters.statesTransfer)
    }

    var video: [VideoStream] = []
    var audio: [AudioStream] = []
    for stream in wanted {
      guard let scan = scans[stream.index], !scan.isEmpty else { continue }
      switch stream.mediaKind {
      case .video:
        let description = VideoDescription(
          stream: stream, scan: scan, demuxer: demuxer, source: source)
        if var described = try description.videoStream() {
          described.unreadable = unreadable[stream.index]
          video.append(described)
        }
      case .audio:
        let start = try audibleStart(of: stream, source: source, named: name)
        if var described = try scan.audioStream(stream, decodedStart: start) {
          described.unreadable = unreadable[stream.index]
          audio.append(described)
        }
      case .other: break
      }
    }
    let described = Set(video.map(\.streamIndex) + audio.map(\.streamIndex))
    if let lost = wanted.first(where: { !described.contains($0.index) }),
      let reason = encrypted[lost.index]
    {
      throw MediaError(
        .unsupportedFormat, "stream \(lost.index) \(reason)", on: name,
        remedy: "use an unencrypted copy")
    }
    return try assemble(demuxer, source: source, video: video, audio: audio)
  }

  /// Opens the file so that packets beyond its end are included.
  private static func opened(_ source: any ByteSource, named name: String) throws -> Demuxer {
    let demuxer = try Demuxer(source: source, named: name)
    guard let size = try demuxer.promisedSize(beyond: source.size) else { return demuxer }
    return try Demuxer(source: ExtendedByteSource(source, size: size), named: name)
  }

  private static func isGrayscale(
    _ demuxer: Demuxer, _ source: any ByteSource, _ video: [VideoStream]
  ) throws -> Bool? {
    guard let stream = video.first?.streamIndex else { return nil }
    return try FirstFrame.decode(source: source, named: demuxer.name, stream: stream)?
      .isGrayscale()
  }

  /// The time of the first samples that a decoder yields; `nil` if the stream cannot be decoded.
  private static func audibleStart(
    of stream: Demuxer.Stream, source: any ByteSource, named name: String
  ) throws -> Int64? {
    do {
      return try FirstFrame.decode(source: source, named: name, stream: stream.index)?.time
    } catch let error as MediaError where [.unsupportedCodec, .damaged].contains(error.code) {
      return nil
    }
  }

  /// Sets the ends that a truncated file states for its streams.
  private static func extend(
    _ scans: inout [Int: PacketScan], to missing: MissingEnd, of demuxer: Demuxer
  ) throws {
    var ends: [Int: RationalTime] = [:]
    for (stream, scan) in scans {
      guard let end = scan.end else { continue }
      ends[stream] = try demuxer.streams[stream].timeBase * end
    }
    guard scans.values.contains(where: { !$0.isEmpty }) else {
      throw MediaError.truncated(demuxer.name, cause: nil)
    }
    let videoCount = scans.values.count { $0.kind == .video && !$0.isEmpty }
    for (stream, end) in try missing.ends(after: ends, videoCount: videoCount, of: demuxer) {
      scans[stream]?.missingEnd = end
    }
  }

  private static func scan(
    _ demuxer: Demuxer, into scans: inout [Int: PacketScan], isCutShort: Bool
  ) throws {
    let packet = try Packet()
    var latest: [Int: Int64] = [:]
    while try next(of: demuxer, into: packet, isCutShort: isCutShort) == .packet {
      guard demuxer.streams.indices.contains(packet.streamIndex) else { continue }
      try checkTimes(of: packet, in: demuxer)
      let stream = demuxer.streams[packet.streamIndex]
      try checkClock(at: packet, of: stream, after: &latest[packet.streamIndex], in: demuxer)
      scans[packet.streamIndex]?.add(packet, of: stream)
      // A still image has one frame; anything after it is ignored.
      if demuxer.isStillImage { return }
    }
  }

  /// Reads the next packet. A file that is cut short ends where it becomes unreadable.
  private static func next(
    of demuxer: Demuxer, into packet: Packet, isCutShort: Bool
  ) throws -> Demuxer.ReadResult {
    do {
      return try demuxer.read(into: packet)
    } catch let error as MediaError where error.code == .damaged && isCutShort {
      return .endOfStream
    }
  }

  /// The farthest from 0 that a time may be, in ticks, so that calculations with times stay within 64 bits. With a tick
  /// of one nanosecond it is two years.
  private static let farthestTick: Int64 = 1 << 56

  private static func checkTimes(of packet: Packet, in demuxer: Demuxer) throws {
    let ticks = [packet.time ?? 0, packet.decodingTime ?? 0, packet.duration]
    guard ticks.contains(where: { $0.magnitude > farthestTick.magnitude }) else { return }
    throw MediaError(
      .damaged, "the packet times are out of range", on: demuxer.name,
      remedy: "remux the file, e.g. with ffmpeg -c copy")
  }

  /// Throws if a stream's decoding times go back by more than half a second, and by more than the reordering for which
  /// a container may have invented them. An edit list may go back in the media.
  private static func checkClock(
    at packet: Packet, of stream: Demuxer.Stream, after latest: inout Int64?, in demuxer: Demuxer
  ) throws {
    guard let time = packet.decodingTime, !demuxer.format.hasPrefix("mov,") else { return }
    let back = (latest ?? time) - time
    latest = max(latest ?? time, time)
    guard back > 0, stream.mediaKind != .other else { return }
    let half = try RationalTime(1, 2).ticks(of: stream.timeBase, rounding: .up)
    if back > max(half, packet.duration * SteadyTimes.deepestReordering) {
      throw MediaError.clockJumpsBack(on: demuxer.name)
    }
  }

  private static func assemble(
    _ demuxer: Demuxer, source: any ByteSource, video: [VideoStream], audio: [AudioStream]
  ) throws -> MediaIndex {
    let ranges =
      try video.map { stream in
        (
          start: try stream.timeBase * (stream.frames.times.first ?? 0),
          end: try stream.timeBase * stream.frames.end
        )
      }
      + audio.map { stream in
        (start: try stream.timeBase * stream.start, end: try stream.timeBase * stream.end)
      }
    guard let start = ranges.map(\.start).min(), let end = ranges.map(\.end).max() else {
      throw MediaError(
        .damaged, "the file contains no frames and no samples", on: demuxer.name,
        remedy: "copy it again from its source")
    }
    let isStill =
      demuxer.isStillImage || demuxer.isImage && video.first?.frames.times.count == 1
    return MediaIndex(
      format: demuxer.format, start: start, duration: isStill ? .zero : try end - start,
      isStillImage: isStill,
      isGrayscale: isStill ? try isGrayscale(demuxer, source, video) : nil,
      video: video, audio: audio)
  }
}

extension Demuxer {
  /// The file length that the container's index implies, if plausible; `nil` if the file is complete.
  fileprivate func promisedSize(beyond size: Int64) throws -> Int64? {
    guard format.hasPrefix("mov,") else { return nil }
    var promised = size
    for stream in streams where stream.mediaKind != .other {
      guard let pointer = context.pointee.streams[stream.index] else { continue }
      for index in 0..<avformat_index_get_entries_count(pointer) {
        guard let entry = avformat_index_get_entry(pointer, index)?.pointee else { continue }
        let (end, overflow) = entry.pos.addingReportingOverflow(Int64(entry.size))
        guard !overflow, end <= size + Self.mostMissing else {
          throw MediaError.truncated(
            name, cause: "its index points to \(entry.size) bytes at byte \(entry.pos) of \(size)")
        }
        promised = max(promised, end)
      }
    }
    return promised > size ? promised : nil
  }

  /// The most missing bytes, beyond a file's end, that are considered plausible.
  private static let mostMissing: Int64 = 1 << 36
}

extension StreamParameters {
  /// Whether the stream states how its code values map to light.
  fileprivate var statesTransfer: Bool {
    let own = pointer.pointee
    return ColorTags(
      primaries: own.color_primaries, transfer: own.color_trc, matrix: own.color_space,
      range: own.color_range
    ).transfer != nil
  }
}
