import Foundation
import Recording
import Support
import Testing

/// Sound that MP4 describes by its first packet, and that pauses or ends.
@Suite(.mayBlock) struct PausedSoundTests {
  private let recorder: LiveRecorderTests

  init() throws { recorder = try LiveRecorderTests() }

  /// The packets of a transport stream.
  private func transportPackets(of path: String) throws -> [[UInt8]] {
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
  }

  /// Whether a packet of a transport stream from ffmpeg belongs to the sound.
  private func isSound(_ packet: [UInt8]) -> Bool {
    (Int(packet[1] & 0x1F) << 8 | Int(packet[2])) == 0x101
  }

  @Test(arguments: ["ac3", "eac3"])
  func `sound that pauses after its first packets is recorded where it continues`(
    codec: String
  ) throws {
    let path = try recorder.stream("clip", sound: ["-c:a", codec])
    let packets = try transportPackets(of: path)
    // The first two units of sound come before the pictures, and the others after five seconds.
    let units = packets.indices.filter { isSound(packets[$0]) && packets[$0][1] & 0x40 != 0 }
    let first = packets[..<units[2]].filter(isSound)
    let later = try #require(units.first { $0 > packets.count * 5 / 8 })
    let rest = packets.enumerated().filter { !isSound($1) || $0 >= later }.map(\.element)
    let tables = rest.prefix(3)
    let paused = recorder.folder.path("paused.ts")
    try Data((tables + first + rest.dropFirst(3)).joined()).write(to: URL(filePath: paused))
    let told = try recorder.record(file: paused)
    #expect(told.parts.first?.tracks.map(\.codec) == ["h264", codec])
    let movie = try recorder.movie(told)
    #expect(try FrameNameReader.names(in: movie) == recorder.names(0..<192))
    let (sent, recorded) = (try recorder.sound(of: path), try recorder.sound(of: movie))
    // Some of the first packets may come before the first picture.
    let early = recorded.prefix { sent.prefix(16).contains($0) }.count
    let late = recorded.dropFirst(early)
    // The first fragment waits for the sound. A packet has 32 ms.
    #expect(early < 16 && late.count > 30 && recorded.count < sent.count - 48)
    #expect(recorder.areEqual(late, sent.suffix(late.count)))
    let start = try times(of: path, "v")[0]
    let (end, last) = (try times(of: path, "a").last ?? 0, try times(of: movie, "a").last ?? 0)
    #expect(abs(last - (end - start)) < 0.001)
  }

  /// The times of a stream's packets in presentation order, in seconds.
  private func times(of path: String, _ stream: String) throws -> [Double] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of",
        "csv=p=0", path,
      ])
    return String(decoding: text, as: UTF8.self)
      .split { ",\n".contains($0) }.compactMap { Double($0) }.sorted()
  }

  @Test(arguments: ["ac3", "eac3"])
  func `sound that ends before a recording begins costs no picture`(codec: String) throws {
    let path = try recorder.stream("clip", sound: ["-c:a", codec])
    let packets = try transportPackets(of: path)
    let units = packets.indices.filter { isSound(packets[$0]) && packets[$0][1] & 0x40 != 0 }
    let first = packets[..<units[2]].filter(isSound)
    let rest = packets.filter { !isSound($0) }
    let short = recorder.folder.path("short.ts")
    try Data((rest.prefix(3) + first + rest.dropFirst(3)).joined()).write(
      to: URL(filePath: short))
    let told = try recorder.record(file: short)
    #expect(told.parts.count == 1)
    let movie = try recorder.movie(told)
    #expect(try FrameNameReader.names(in: movie) == recorder.names(0..<192))
    // The first fragment waited for six more seconds. It begins with a frame of silence.
    let fragments = told.fragments.values.flatMap(\.self)
    #expect(fragments.map(\.sampleCounts) == [[168, 1], [24, 0]])
    #expect(try times(of: movie, "a") == [0])
    let samples = try Tool.run(
      "ffmpeg", ["-v", "error", "-i", movie, "-map", "0:a", "-f", "f32le", "-"])
    #expect(samples.count >= 1536 * 4)
    #expect(
      samples.withUnsafeBytes { $0.bindMemory(to: Float.self).allSatisfy { abs($0) < 1e-4 } })
  }
}
