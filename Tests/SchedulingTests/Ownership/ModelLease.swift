import Scheduling

/// A lease, with numbers for its token, worker and segment.
struct ModelLease: Hashable, Sendable {
  /// Stands for the random token.
  let token: Int
  /// The index of the worker.
  let worker: Int
  /// The index of the segment.
  let segment: Int
  /// The number of the attempt at the segment, from 1.
  let attempt: Int
}

extension ModelLease {
  /// The lease that a scheduler has granted.
  init(_ grant: Grant) {
    token = Int(grant.token.rawValue) ?? 0
    worker = TwoCoordinators.workerIDs.firstIndex(of: grant.worker) ?? 0
    segment = grant.segment.index
    attempt = grant.attempt
  }
}

extension LeaseToken {
  /// The token that a number stands for.
  init(_ number: Int) { self.init(rawValue: "\(number)") }
}
