import Support
import Timeline

/// A frame-naming clip, and the frame that it shows at each time, computed without Sheaf's own code.
struct NamedSource: Sendable {
  let clip: FrameNamingClip
  let file: String
  let times: [RationalTime]

  /// A clip with a constant rate of `n/d` frames per second.
  init(_ source: Int, frameCount: Int, rate: (Int64, Int64)) throws {
    clip = FrameNamingClip(source: source, frameCount: frameCount, rate: "\(rate.0)/\(rate.1)")
    file = "named-\(source).mp4"
    times = try (0..<Int64(frameCount)).map { try RationalTime($0 * rate.1, rate.0) }
  }

  /// A clip whose frames are at the given times.
  init(_ source: Int, milliseconds: [Int]) throws {
    clip = FrameNamingClip(
      source: source, frameCount: milliseconds.count, milliseconds: milliseconds)
    file = "named-\(source).mp4"
    times = try milliseconds.map { try RationalTime(Int64($0 - milliseconds[0]), 1000) }
  }

  func write(in folder: TemporaryDirectory) throws { try clip.write(to: folder.path(file)) }

  /// The last frame with time ≤ t. Times before the first frame give the first, and times after the end the last.
  func name(at time: RationalTime) -> FrameName {
    FrameName(source: clip.source, frame: max(0, (times.lastIndex { $0 <= time }) ?? 0))
  }
}
