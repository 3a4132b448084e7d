import Foundation
import Support
import Testing

/// `sheaf probe --verify` on intact and damaged media.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct VerificationTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ name: String, _ options: [String], _ source: String) throws {
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", source, "-threads", "1"] + options
        + ["-bitexact", folder.path(name)])
  }

  /// Changes the bytes of some packets from their middle on.
  private func damage(_ name: String, packets numbers: [Int], bytes count: Int) throws {
    let path = folder.path(name)
    let packets = try PacketPlaces.of(path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for number in numbers {
      let (position, size) = packets[number]
      let first = position + size / 3
      for place in first..<min(first + count, position + size) {
        bytes[place] ^= 0xA5 ^ UInt8(place & 0x7F)
      }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  private func verify(_ name: String) throws -> Program.Outcome {
    try Program.sheaf.run(["probe", "--verify", name], in: folder.path)
  }

  @Test func `damaged frames are named by number and time`() throws {
    try write(
      "beach.mp4",
      ["-t", "2.4", "-c:v", "libx264", "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p"],
      "mandelbrot=s=320x192:r=25")
    let whole = try verify("beach.mp4")
    #expect(whole.status == 0)
    #expect(whole.standardOutput == "video 0: no errors, 60 frames, 5 keyframes\n")
    try damage("beach.mp4", packets: [17], bytes: .max / 2)
    let outcome = try verify("beach.mp4")
    #expect(outcome.status == 1)
    #expect(
      outcome.standardOutput
        == "video 0: 7 of 60 frames damaged or missing: frames 17 to 23 (0.680 to 0.920 s)\n")
    #expect(outcome.standardError.contains("beach.mp4: damaged; see above"))
  }

  @Test func `the first of many damaged frames are listed, and the others are counted`() throws {
    try write("stack.mkv", ["-t", "2.4", "-c:v", "png"], "testsrc2=s=64x48:r=25")
    try damage("stack.mkv", packets: Array(stride(from: 0, to: 60, by: 2)), bytes: 1)
    let outcome = try verify("stack.mkv")
    #expect(outcome.status == 1)
    #expect(
      outcome.standardOutput.hasPrefix(
        "video 0: 30 of 60 frames damaged or missing: frame 0 (0.000 s), frame 2 (0.080 s), "),
      "\(outcome.standardOutput)")
    #expect(
      outcome.standardOutput.hasSuffix("frame 38 (1.520 s), and 10 more frames\n"),
      "\(outcome.standardOutput)")
  }

  @Test func `damaged sound is named by sample and time`() throws {
    try write("wind.mkv", ["-c:a", "flac"], "anoisesrc=d=3:c=pink:r=48000:a=0.5:seed=3")
    let whole = try verify("wind.mkv")
    #expect(whole.status == 0, "\(whole.standardOutput)")
    #expect(whole.standardOutput.hasPrefix("audio 0: no errors, 144000 samples"))
    try damage("wind.mkv", packets: [10], bytes: 1)
    let outcome = try verify("wind.mkv")
    #expect(outcome.status == 1)
    let found = try #require(
      outcome.standardOutput.firstMatch(
        of: /audio 0: damaged or missing: sample (\d+) \((\d+\.\d+) s\)/),
      "\(outcome.standardOutput)")
    // Packets have 4608 samples, and Matroska rounds their times to milliseconds.
    #expect((Int(found.1) ?? 0) / 100 == 10 * 4608 / 100)
  }

  @Test func `a stream whose keyframes have no times of their own is compared too`() throws {
    // Such small frames share packets, and a packet has only one time.
    try write(
      "ramp.mpg",
      ["-c:v", "mpeg2video", "-q:v", "2", "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p"],
      "nullsrc=s=64x64:r=25:d=3,geq=lum='16+2*N':cb=128:cr=128")
    let outcome = try Program.sheaf.run(
      ["probe", "--verify", "--json", "ramp.mpg"], in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardOutput) \(outcome.standardError)")
    struct Verified: Decodable {
      var starts: Int
      var count: Int
      var compared: Int
    }
    let stream = try #require(
      JSONDecoder().decode([Verified].self, from: Data(outcome.standardOutput.utf8)).first)
    #expect(stream.starts == 0)
    #expect(stream.compared == 75)
    #expect(stream.count == 75)
  }

  @Test func `a file that cannot be decoded is not verified`() throws {
    try write(
      "locked.mp4",
      [
        "-t", "1", "-c:v", "libx264", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
        "00112233445566778899aabbccddeeff", "-encryption_kid", "112233445566778899aabbccddeeff00",
      ], "testsrc2=s=160x96:r=25")
    let outcome = try verify("locked.mp4")
    #expect(outcome.status == 1)
    #expect(outcome.standardOutput == "video 0: not verified: it is encrypted (encv)\n")
    #expect(outcome.standardError.contains("locked.mp4: not verified; see above"))
    let probed = try Program.sheaf.run(["probe", "locked.mp4"], in: folder.path)
    #expect(probed.status == 0)
    #expect(probed.standardOutput.contains(", not usable: it is encrypted (encv)\n"))
  }
}
