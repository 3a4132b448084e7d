import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct FragmentMuxerTests {
  private let folder: TemporaryDirectory
  private let clip: String

  /// Four seconds with B-frames and a keyframe every 12 frames, and sound.
  init() throws {
    folder = try TemporaryDirectory()
    let pictures = folder.path("pictures.mp4")
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 3, frameCount: 96, rate: "24").write(to: pictures)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", pictures, "-f", "lavfi", "-i", "sine=r=48000:d=4", "-c:v", "copy",
        "-c:a", "aac", "-shortest", clip,
      ])
  }

  /// Writes the clip as fragments of one group each, without those in `dropped`, and returns the header and the rest.
  private func fragments(dropping dropped: Set<Int> = []) throws -> (header: [UInt8], [[UInt8]]) {
    let demuxer = try Demuxer(source: FileByteSource(path: clip), named: clip)
    let muxer = try FragmentMuxer(named: "recording")
    for stream in demuxer.streams {
      #expect(FragmentMuxer.canHold(stream.parameters))
      _ = try muxer.addStream(stream.parameters, timeBase: stream.timeBase)
    }
    var header: [UInt8]?
    var fragments: [[UInt8]] = []
    func cut() throws {
      guard let piece = try muxer.cut() else { return }
      if let first = piece.header {
        #expect(header == nil)
        header = first
      }
      fragments.append(piece.fragment)
    }
    let packet = try Packet()
    var group = -1
    while try demuxer.read(into: packet) == .packet {
      if packet.streamIndex == 0, packet.isKey {
        try cut()
        group += 1
      }
      // The encoder's first packet of sound is presented before zero, and the recording begins at zero.
      if !dropped.contains(group), (packet.time ?? 0) >= 0 {
        try muxer.write(packet, to: packet.streamIndex)
      }
    }
    try cut()
    return (try #require(header), fragments)
  }

  /// The presentation times of a file's packets in decoding order, in microseconds.
  private func times(of path: String, stream: String) throws -> [Int] {
    let text = try Tool.output(
      of: "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of",
        "csv=p=0", path,
      ])
    #expect(text.standardError == "")
    return String(decoding: text.standardOutput, as: UTF8.self).split(separator: "\n")
      .compactMap { Double($0.prefix { $0 != "," }) }.map { Int(($0 * 1_000_000).rounded()) }
  }

  private func write(_ pieces: [[UInt8]]) throws -> String {
    let path = folder.path("recording.mp4")
    try Data(pieces.flatMap(\.self)).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `a header and its fragments are a file in which everything is in place`() throws {
    let (header, fragments) = try fragments()
    #expect(fragments.count == 8)
    let path = try write([header] + fragments)
    for stream in ["v:0", "a:0"] {
      #expect(
        try times(of: path, stream: stream) == times(of: clip, stream: stream).filter { $0 >= 0 })
    }
    #expect(
      try FrameNameReader.names(in: path) == (0..<96).map { FrameName(source: 3, frame: $0) })
  }

  @Test func `a fragment can be left out, and the rest stays in place`() throws {
    let (header, fragments) = try fragments()
    let path = try write([header] + fragments[..<2] + fragments[4...])
    let frame = { (number: Int) in Int((Double(number) * 1_000_000 / 24).rounded()) }
    #expect(
      try times(of: path, stream: "v:0").sorted() == ((0..<24).map(frame) + (48..<96).map(frame)))
  }

  @Test func `groups that are not written leave a gap`() throws {
    let (header, fragments) = try fragments(dropping: [2, 3])
    let path = try write([header] + fragments)
    let frame = { (number: Int) in Int((Double(number) * 1_000_000 / 24).rounded()) }
    #expect(
      try times(of: path, stream: "v:0").sorted() == ((0..<24).map(frame) + (48..<96).map(frame)))
    #expect(
      try FrameNameReader.names(in: path)
        == ((0..<24).map { FrameName(source: 3, frame: $0) }
          + (48..<96).map { FrameName(source: 3, frame: $0) }))
  }
}
