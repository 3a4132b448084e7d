import Foundation
import Support
import Testing

/// The file size that `sheaf plan` estimates, against the actual file.
@Suite(.mayBlock) struct EstimatedLengthTests {
  @Test(arguments: [(600_000, 64_000, 96), (600_000, 320_000, 96), (2_000_000, 128_000, 144)])
  func `a file of noise has the size estimated from its bit rates`(
    pictures: Int, sound: Int, side: Int
  ) throws {
    let folder = try TemporaryDirectory()
    try NoiseClip(width: 640, height: 360, side: side, seconds: 8).write(
      to: folder.path("noise.mov"))
    let project = """
      {"version": 1, "sequence": [{"clip": "noise.mov"}],
       "export": {"video": {"bitRate": \(pictures)}, "audio": {"bitRate": \(sound)}}}
      """
    let estimated = try PrintedPlan.estimatedLength(of: project, in: folder)
    let file = try Rendered(project: project, in: folder)
    let size = Double(try Data(contentsOf: URL(fileURLWithPath: file.path)).count)
    // Without the sound, the second file would be a third smaller.
    #expect(abs(size / estimated - 1) < 0.1, "\(size) bytes, not \(estimated)")
  }
}
