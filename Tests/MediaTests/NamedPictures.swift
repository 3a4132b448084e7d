import Foundation
import Media
import Support
import Timeline

/// Pictures that show their own names, and files made of them with Media's encoder and muxer.
enum NamedPictures {
  static let size = PixelSize(width: 320, height: 180)

  /// A picture that shows `source` and `frame`.
  static func picture(source: Int, frame: Int, size: PixelSize = size) throws -> Frame {
    let picture = try Frame(width: size.width, height: size.height, pixelFormat: .yuv420p)
    let luma = FrameName(source: source, frame: frame).luma(width: size.width, height: size.height)
    try picture.withUnsafeMutablePlanes { planes in
      for row in 0..<planes[0].height {
        for column in 0..<planes[0].width {
          planes[0].base[row * planes[0].stride + column] = luma[row * size.width + column]
        }
      }
      for plane in planes[1...] {
        for row in 0..<plane.height {
          (plane.base + row * plane.stride).update(repeating: 128, count: plane.width)
        }
      }
    }
    return picture
  }

  static func settings(_ frameDuration: RationalTime) -> VideoEncoderSettings {
    VideoEncoderSettings(
      size: size, frameDuration: frameDuration, rate: .quality(crf: 23), preset: "veryfast",
      keyframeInterval: 30)
  }

  /// Writes a chunk: the frames of `range` numbered from 0.
  static func writeChunk(
    _ range: Range<Int>, to path: String, frameDuration: RationalTime
  ) throws {
    let encoder = try VideoEncoder(settings(frameDuration))
    let muxer = try Muxer(path: path, format: "mp4")
    let stream = try muxer.addStream(encoder.parameters, timeBase: encoder.timeBase)
    try muxer.start()
    let packet = try Packet()
    func drain() throws {
      while try encoder.receive(into: packet) == .packet { try muxer.write(packet, to: stream) }
    }
    for (number, frame) in range.enumerated() {
      try encoder.send(try picture(source: 1, frame: frame), number: Int64(number))
      try drain()
    }
    try encoder.send(nil)
    try drain()
    try muxer.finish()
  }

  /// Appends chunks of the given lengths into one file, as an assembler would.
  static func append(
    _ chunks: [(path: String, count: Int)], to path: String, frameDuration: RationalTime,
    options: [String: String] = [:]
  ) throws {
    let muxer = try Muxer(path: path, format: "mp4", options: options)
    let packet = try Packet()
    var first: Int64 = 0
    for (index, chunk) in chunks.enumerated() {
      let demuxer = try Demuxer(source: FileByteSource(path: chunk.path), named: chunk.path)
      if index == 0 {
        _ = try muxer.addStream(demuxer.streams[0].parameters, timeBase: frameDuration)
        try muxer.start()
      }
      let offset = try (frameDuration * first).ticks(of: demuxer.streams[0].timeBase)
      while try demuxer.read(into: packet) == .packet {
        packet.time = packet.time.map { $0 + offset }
        packet.decodingTime = packet.decodingTime.map { $0 + offset }
        try muxer.write(packet, to: 0)
      }
      first += Int64(chunk.count)
    }
    try muxer.finish()
  }

  /// Every packet of a file's stream as `ffprobe` prints it: time, decoding time and duration in ticks.
  static func packets(of path: String, stream: String = "v:0") throws -> [[Int64]] {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts,dts,duration",
          "-of", "csv=p=0", path,
        ]), as: UTF8.self)
    return text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Int64($0) } }
  }
}
