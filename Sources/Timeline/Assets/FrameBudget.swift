import Synchronization

/// How many frames may still be decoded: a few bytes say of billions when they are.
public final class FrameBudget: Sendable {
  /// Where a decoder's `userInfo` has it.
  public static let key = CodingUserInfoKey(rawValue: "frame budget")

  /// The error of a value that has more frames than the budget.
  public struct Exceeded: Error {}

  private let left: Mutex<Int64>

  /// A budget of so many frames for all that a decoder decodes.
  public init(_ count: Int) { left = Mutex(Int64(count)) }

  static func of(_ decoder: any Decoder) -> FrameBudget? {
    key.flatMap { decoder.userInfo[$0] as? FrameBudget }
  }

  /// Takes some frames and those of runs, each a step and a count, and says whether there were as many.
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
