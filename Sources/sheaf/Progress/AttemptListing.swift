import FarmAPI

/// Decides which attempts of a job that is followed have not been printed yet.
package struct AttemptListing: Sendable {
  private struct Key: Hashable {
    var segment: Int
    var number: Int
    var worker: String
  }

  private var printed: Set<Key> = []
  /// The number of attempts at the beginning of the job's list that have ended and were printed.
  package private(set) var settled = 0

  package init() {}

  /// The attempts to print next.
  ///
  /// - Parameters:
  ///   - attempts: those at the job's segments that follow the ``settled`` ones, or all at one segment.
  ///   - all: whether to print attempts that still run.
  package mutating func unprinted(_ attempts: [SegmentAttempt], all: Bool) -> [SegmentAttempt] {
    settled += attempts.prefix { $0.outcome != nil }.count
    return attempts.filter { attempt in
      guard all || attempt.outcome != nil else { return false }
      let key = Key(segment: attempt.segment, number: attempt.number, worker: attempt.workerID)
      return printed.insert(key).inserted
    }
  }
}
