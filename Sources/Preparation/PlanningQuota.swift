import FarmAPI
import Synchronization

/// Limits the time per hour that processes spend on reading a submitter's submissions, probing its media and planning
/// its projects. Submissions without a token have no quota.
package final class PlanningQuota: Sendable {
  /// The code of an error about a used-up quota.
  package static let code = "planning-quota-reached"
  /// The option that sets the quota.
  package static let option = "--max-planning-seconds-per-submitter"

  private static let hour = Duration.seconds(3600)
  /// Charges within this time are counted as one.
  private static let grain = Duration.seconds(30)

  private struct Charge {
    let at: ContinuousClock.Instant
    var time: Duration
  }

  private let quota: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let charges = Mutex<[String: [Charge]]>([:])

  /// - Parameters:
  ///   - seconds: each submitter's quota in seconds per hour.
  ///   - now: the clock.
  package init(
    seconds: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    quota = .seconds(seconds)
    self.now = now
  }

  /// Charges time to a submitter's quota.
  package func charge(_ time: Duration, to submitter: String?) {
    guard let submitter else { return }
    let now = now()
    charges.withLock { charges in
      Self.forgetOld(&charges, now)
      var own = charges[submitter] ?? []
      if let last = own.last, now - last.at < Self.grain {
        own[own.count - 1].time += time
      } else {
        own.append(Charge(at: now, time: time))
      }
      charges[submitter] = own
    }
  }

  /// Throws if a submitter has used up its quota.
  ///
  /// - Throws: ``JobError`` with the code ``code`` and a message that says when time is available again.
  package func check(_ submitter: String?) throws {
    guard let submitter else { return }
    let now = now()
    let own = charges.withLock { charges in
      Self.forgetOld(&charges, now)
      return charges[submitter] ?? []
    }
    var used = own.reduce(Duration.zero) { $0 + $1.time }
    guard used >= quota else { return }
    var pause = Self.hour
    for charge in own where used >= quota {
      used -= charge.time
      pause = charge.at + Self.hour - now
    }
    let minutes = max(1, (pause.components.seconds + 59) / 60)
    throw JobError(
      Self.code,
      "\(submitter) has used the \(quota.components.seconds) seconds of planning per hour "
        + "(\(Self.option)): submit again in \(minutes) minutes")
  }

  private static func forgetOld(
    _ charges: inout [String: [Charge]], _ now: ContinuousClock.Instant
  ) {
    for (submitter, own) in charges where own.first.map({ now - $0.at >= hour }) ?? true {
      let recent = own.filter { now - $0.at < hour }
      charges[submitter] = recent.isEmpty ? nil : recent
    }
  }
}
