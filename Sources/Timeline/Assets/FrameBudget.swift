import Synchronization

/// A limit on the number of frames to decode. Without a limit, a few bytes could expand to billions of frames.
public final class FrameBudget: Sendable {
  /// The key of the budget in a decoder's `userInfo`.
  public static let key = CodingUserInfoKey(rawValue: "frame budget")

  /// The error for a value with more frames than the budget.
  public struct Exceeded: Error {}

  private let left: Mutex<Int64>

  /// Creates a budget for everything that a decoder decodes.
  public init(_ count: Int) { left = Mutex(Int64(count)) }

  static func of(_ decoder: any Decoder) -> FrameBudget? {
    key.flatMap { decoder.userInfo[$0] as? FrameBudget }
  }

  /// Deducts frames and the frames of runs, which are pairs of a step and a count. Returns false if the budget is
  /// exceeded.
  func take(_ first: Int, and runs: [Int64]) -> Bool {
    left.withLock { left in
      left -= Int64(first)
      for place in stride(from: 1, to: runs.count, by: 2) {
        guard runs[place] <= left else { return false }
        left -= max(0, runs[place])
      }
      return left >= 0
    }
  }
}
