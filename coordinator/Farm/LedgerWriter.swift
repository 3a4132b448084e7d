import FarmAPI
import Scheduling

/// Writes the farm's transitions to the ledger, and keeps those that it could not write yet because the disk failed.
///
/// It classifies each refusal and returns the actions that follow.
package struct LedgerWriter {
  /// A consequence of a refusal for the farm.
  package enum Consequence: Hashable, Sendable {
    /// The ledger will never accept a change of this job, so the job has to fail.
    case endJob(JobID, TransitionError)
    /// The coordinator cannot continue, for the given reason.
    case breakDown(String)
  }

  /// The result of a write.
  package struct Outcome {
    /// The reason why the transitions were not written; `nil` if they were.
    package var error: (any Error)?
    /// The actions that the farm must take, whether or not the transitions were written.
    package var consequences: [Consequence] = []
  }

  /// A transition is dropped after this many consecutive refusals whose cause is neither temporary nor permanent.
  package static let refusalLimit = 10

  private let ledger: any TransitionStore
  private let log: Log
  private var unwritten: [Transition] = []
  /// The number of consecutive refusals of a transition whose cause is neither temporary nor permanent.
  private var refusals = 0
  /// When the ledger last accepted something.
  private var lastSuccess = ContinuousClock.now
  /// A ledger on a server that accepted something this recently counts as reachable.
  private static let trust: Duration = .seconds(5)
  /// The reason why the ledger accepts no transitions; `nil` if it does.
  package private(set) var problem: String?

  package init(_ ledger: any TransitionStore, log: Log) {
    self.ledger = ledger
    self.log = log
  }

  /// Writes transitions, after those that could not be written earlier.
  package mutating func write(_ transitions: [Transition]) -> Outcome {
    var outcome = Outcome()
    while true {
      let all = unwritten + transitions
      // An empty write proves nothing about the disk.
      guard !all.isEmpty else { return outcome }
      do {
        try ledger.write(all)
        unwritten = []
        refusals = 0
        if problem != nil { log.info("the ledger can be written again") }
        problem = nil
        lastSuccess = .now
        return outcome
      } catch {
        // Logged once, not for each of a thousand workers' requests.
        if problem != "\(error)" { log.error("the ledger cannot be written: \(error)") }
        problem = "\(error)"
        // Changes that fail because of the disk are retried; a change that is itself invalid must not block the others.
        guard setRefusedAside(error, &outcome.consequences) else {
          outcome.error = error
          return outcome
        }
      }
    }
  }

  /// Keeps transitions that could not be written. They are written with the next ones.
  package mutating func keep(_ transitions: [Transition]) {
    unwritten += transitions
  }

  /// Finds out whether the ledger can be written, if the last write failed or the ledger is on a server. The result is in
  /// ``problem``.
  package mutating func tryAgain() -> [Consequence] {
    guard problem != nil || ledger.isRemote && lastSuccess.duration(to: .now) > Self.trust else {
      return []
    }
    let outcome = write([])
    do {
      if let error = outcome.error { throw error }
      try ledger.probe()
      problem = nil
      lastSuccess = .now
    } catch {
      if problem == nil { log.error("the ledger cannot be written: \(error)") }
      problem = "\(error)"
    }
    return outcome.consequences
  }

  /// Removes a waiting transition that the ledger will never accept, and ends its job.
  ///
  /// - Returns: whether there was one, so that the rest is worth another try.
  private mutating func setRefusedAside(
    _ error: any Error, _ consequences: inout [Consequence]
  ) -> Bool {
    if LedgerError.endsService(error) { consequences.append(.breakDown("\(error)")) }
    guard let error = error as? TransitionError else { return false }
    guard error.index < unwritten.count, !error.cause.isPassing else { return false }
    if !error.cause.isFinal {
      refusals += 1
      guard refusals >= Self.refusalLimit else { return false }
    }
    refusals = 0
    let refused = unwritten.remove(at: error.index)
    guard let job = refused.job else {
      log.error("skipping a change that the ledger rejected: \(refused): \(error)")
      return true
    }
    if case .jobFailed = refused {
      consequences.append(.breakDown("the ledger cannot record that job \(job) failed: \(error)"))
      return true
    }
    unwritten.removeAll { $0.job == job }
    consequences.append(.endJob(job, error))
    return true
  }
}
