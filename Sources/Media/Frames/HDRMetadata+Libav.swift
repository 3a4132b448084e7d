import CFFmpeg
import Timeline

extension HDRMetadata {
  /// Reads a stream's metadata from the container.
  init?(of stream: UnsafeMutablePointer<AVStream>) {
    func data<Content>(_ type: AVPacketSideDataType, _: Content.Type) -> Content? {
      var size = 0
      guard let data = av_stream_get_side_data(stream, type, &size),
        size >= MemoryLayout<Content>.size
      else { return nil }
      return UnsafeRawPointer(data).loadUnaligned(as: Content.self)
    }
    self.init(
      data(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
      data(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
  }

  fileprivate init?(_ display: AVMasteringDisplayMetadata?, _ light: AVContentLightMetadata?) {
    self.init(
      masteringDisplay: display.flatMap(MasteringDisplay.init),
      contentLight: light.map {
        ContentLight(greatest: Int($0.MaxCLL), greatestMean: Int($0.MaxFALL))
      })
  }

  /// Adds the metadata to a stream before it is written.
  func add(
    to stream: UnsafeMutablePointer<AVStream>, named name: String
  ) throws(MediaError) {
    if let masteringDisplay {
      try Self.add(
        masteringDisplay.libav, as: AV_PKT_DATA_MASTERING_DISPLAY_METADATA, to: stream, name)
    }
    if let contentLight {
      let light = AVContentLightMetadata(
        MaxCLL: UInt32(clamping: contentLight.greatest),
        MaxFALL: UInt32(clamping: contentLight.greatestMean))
      try Self.add(light, as: AV_PKT_DATA_CONTENT_LIGHT_LEVEL, to: stream, name)
    }
  }

  private static func add<Content>(
    _ content: Content, as type: AVPacketSideDataType,
    to stream: UnsafeMutablePointer<AVStream>, _ name: String
  ) throws(MediaError) {
    let size = MemoryLayout<Content>.size
    guard let data = av_stream_new_side_data(stream, type, size) else {
      throw MediaError(.outOfMemory, "cannot allocate memory", on: name)
    }
    UnsafeMutableRawPointer(data).storeBytes(of: content, as: Content.self)
  }
}

extension MasteringDisplay {
  /// `nil` if one of its parts is missing.
  fileprivate init?(_ display: AVMasteringDisplayMetadata) {
    guard display.has_primaries != 0, display.has_luminance != 0 else { return nil }
    func units(_ number: AVRational, _ scale: Double) -> Int {
      guard number.den != 0 else { return 0 }
      let value = Double(number.num) / Double(number.den) * scale
      return Int(min(max(value.rounded(), 0), 1e9))
    }
    func point(_ pair: (AVRational, AVRational)) -> Chromaticity {
      Chromaticity(x: units(pair.0, 50_000), y: units(pair.1, 50_000))
    }
    self.init(
      red: point(display.display_primaries.0), green: point(display.display_primaries.1),
      blue: point(display.display_primaries.2), white: point(display.white_point),
      leastLuminance: units(display.min_luminance, 10_000),
      greatestLuminance: units(display.max_luminance, 10_000))
  }

  fileprivate var libav: AVMasteringDisplayMetadata {
    func point(_ point: Chromaticity) -> (AVRational, AVRational) {
      (
        AVRational(num: Int32(clamping: point.x), den: 50_000),
        AVRational(num: Int32(clamping: point.y), den: 50_000)
      )
    }
    var display = AVMasteringDisplayMetadata()
    display.display_primaries = (point(red), point(green), point(blue))
    display.white_point = point(white)
    display.min_luminance = AVRational(num: Int32(clamping: leastLuminance), den: 10_000)
    display.max_luminance = AVRational(num: Int32(clamping: greatestLuminance), den: 10_000)
    display.has_primaries = 1
    display.has_luminance = 1
    return display
  }
}

extension Frame {
  /// The HDR metadata that the coded stream carries with this picture.
  var hdr: HDRMetadata? {
    func data<Content>(_ type: AVFrameSideDataType, _: Content.Type) -> Content? {
      guard let entry = av_frame_get_side_data(pointer, type),
        entry.pointee.size >= MemoryLayout<Content>.size
      else { return nil }
      return UnsafeRawPointer(entry.pointee.data).loadUnaligned(as: Content.self)
    }
    return HDRMetadata(
      data(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
      data(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
  }
}
