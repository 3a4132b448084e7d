import FarmAPI
import Foundation
import Planning
import Support
import Testing
import sheaf

/// The memory that `sheaf plan` prints.
@Suite(.mayBlock) struct PlanCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 30).write(to: folder.path("a.mp4"))
  }

  /// Runs `sheaf plan` for a clip that is encoded, with a preset of the encoder.
  private func plan(encoderPreset: String, _ options: String...) throws -> String {
    try #"""
    {"version": 1, "sequence": [{"clip": "a.mp4"}],
     "export": {"video": {"encoderPreset": "\#(encoderPreset)"}}}
    """#.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["plan", "cut.json"] + options, in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    return outcome.standardOutput
  }

  private struct StatedPlan: Decodable { let peakMemory: [Int] }

  @Test func `each segment's expected memory is printed, and is in the JSON`() throws {
    let printed = try plan(encoderPreset: "medium").split(separator: "\n")
    let heading = try #require(printed.first { $0.hasPrefix("SEGMENT") })
    #expect(heading.split(separator: " ").contains("MEMORY"))
    let json = Data(try plan(encoderPreset: "medium", "--json").utf8)
    let peaks = try JSONDecoder().decode(StatedPlan.self, from: json).peakMemory
    let segments = try FarmCoding.decode(Plan.self, from: json).segments
    #expect(peaks == segments.map(\.peakMemory))
    for (peak, line) in zip(peaks, printed.suffix(peaks.count)) {
      #expect(line.contains("  \(ByteCount(Int64(peak)))  "))
    }
  }

  @Test func `a more thorough preset is expected to need more memory`() throws {
    let peaks = try ["ultrafast", "veryslow"].map {
      try JSONDecoder().decode(
        StatedPlan.self, from: Data(try plan(encoderPreset: $0, "--json").utf8)
      ).peakMemory
    }
    #expect(zip(peaks[0], peaks[1]).allSatisfy { $0 < $1 })
  }
}
