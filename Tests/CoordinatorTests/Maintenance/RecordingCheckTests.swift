import Crypto
import FarmAPI
import Foundation
import Recording
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Checks of a data directory with a recording.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RecordingCheckTests {
  private let scratch: TemporaryDirectory
  private var data: String { scratch.path("data") }

  private static let contents = [
    "part-1/header.mp4": "header", "part-1/00000001.m4s": "first fragment",
    "part-1/00000002.m4s": "second fragment", "output-0.mp4": "finished file",
  ]

  /// Makes a data directory with a recording of two fragments, which has ended.
  init() throws {
    scratch = try TemporaryDirectory()
    for (name, text) in Self.contents {
      let file = URL(filePath: path(of: name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let submission = RecordingSubmission(
      name: "camera", source: RecordingSource(.udp, host: "239.1.2.3", port: 5000))
    let tracks = [
      TrackFormat(
        kind: .video, codec: "h264", width: 640, height: 360, sampleRate: 0, channels: 0)
    ]
    let output = Data(try #require(Self.contents["output-0.mp4"]).utf8)
    let finished = OutputFile(
      fileName: "camera.mp4", byteCount: Int64(output.count), sha256: Digest.of(output))
    let changes: [RecordingChange] = [
      .accepted(submission, by: nil, key: nil, at: Date()),
      .partBegan(RecordedPart(number: 1, start: .zero, tracks: tracks)),
      .fragmentWritten(part: 1, try Self.fragment(1)),
      .fragmentWritten(part: 1, try Self.fragment(2)), .ended([finished], nil, at: Date()),
    ]
    let ledger = try Ledger(.file(scratch.path("data/ledger.sqlite")))
    try ledger.write(changes.map { .recording("a", $0) })
    ledger.close()
  }

  private func path(of name: String) -> String { scratch.path("data/recordings/a/\(name)") }

  private static func fragment(_ number: Int) throws -> RecordedFragment {
    let bytes = Data(try #require(contents["part-1/\(RecordedFragment.fileName(number))"]).utf8)
    return RecordedFragment(
      number: number, start: RationalTime(Int64(number - 1)), end: RationalTime(Int64(number)),
      byteCount: bytes.count, sha256: Digest.of(bytes), sampleCounts: [25],
      beginsWithKeyframe: true, gaps: [])
  }

  private func check(_ options: String...) throws -> Program.Outcome {
    try Program.coordinator.run(["check", "--data", data] + options)
  }

  @Test func `a complete recording passes the check`() throws {
    let outcome = try check("--chunks")
    #expect(outcome.status == 0)
    #expect(
      outcome.standardOutput
        == "no problems: checked the ledger and the 4 files that it refers to\n")
  }

  @Test(
    arguments: [
      ("part-1/header.mp4", "the header of part 1"),
      ("part-1/00000002.m4s", "fragment 2 of part 1"), ("output-0.mp4", "its output 0"),
    ])
  func `a missing file of a recording is a finding`(file: String, name: String) throws {
    try FileManager.default.removeItem(atPath: path(of: file))
    let outcome = try check()
    #expect(outcome.status == 1)
    #expect(
      outcome.standardOutput.hasPrefix("recording a: \(name): \(path(of: file)) is missing\n"))
  }

  @Test(
    arguments: [("part-1/00000001.m4s", "fragment 1 of part 1"), ("output-0.mp4", "its output 0")])
  func `a file of a recording that was cut off is a finding`(file: String, name: String) throws {
    let size = try #require(Self.contents[file]?.utf8.count)
    #expect(truncate(path(of: file), off_t(size - 1)) == 0)
    let outcome = try check()
    #expect(outcome.status == 1)
    #expect(
      outcome.standardOutput.hasPrefix(
        "recording a: \(name): \(path(of: file)) has \(size - 1) bytes, not \(size)\n"))
  }

  @Test(
    arguments: [("part-1/00000001.m4s", "fragment 1 of part 1"), ("output-0.mp4", "its output 0")])
  func `damage of a recording is found by its SHA-256`(file: String, name: String) throws {
    try FileDamage.flipBit(of: path(of: file), at: 0)
    #expect(try check().status == 0)
    let outcome = try check("--chunks")
    #expect(outcome.status == 1)
    #expect(outcome.standardOutput.hasPrefix("recording a: \(name): \(path(of: file)) has changed"))
  }
}
