import FarmAPI
import Synchronization

/// Limits the time per hour that processes spend on reading a submitter's submissions, probing its media and planning
/// its projects. Submissions without a token have no quota.
package final class PlanningQuota: Sendable {
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
  private let sleep: @Sendable (Duration) async throws -> Void
  private let charges = Mutex<[String: [Charge]]>([:])

  /// - Parameters:
  ///   - seconds: each submitter's quota in seconds per hour.
  ///   - now: the clock.
  ///   - sleep: suspends the task for a while.
  package init(
    seconds: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    quota = .seconds(seconds)
    self.now = now
    self.sleep = sleep
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
  /// - Throws: ``JobError`` with the code `planningQuotaReached` and a message that says when time is available again.
  package func check(_ submitter: String?) throws {
    guard let submitter, let pause = pause(of: submitter) else { return }
    let minutes = max(1, (pause.components.seconds + 59) / 60)
    throw JobError(
      .planningQuotaReached,
      "\(submitter) has used the \(quota.components.seconds) seconds of planning per hour "
        + "(\(Self.option)): submit again in \(minutes) minutes")
  }

  /// Waits until a submitter has time left.
  package func wait(for submitter: String?) async throws {
    while let pause = pause(of: submitter) { try await sleep(pause) }
  }

  /// The time until a submitter has planning time again; `nil` if it has some now.
  package func pause(of submitter: String?) -> Duration? {
    guard let submitter else { return nil }
    let now = now()
    let own = charges.withLock { charges in
      Self.forgetOld(&charges, now)
      return charges[submitter] ?? []
    }
    var used = own.reduce(Duration.zero) { $0 + $1.time }
    guard used >= quota else { return nil }
    var pause = Self.hour
    for charge in own where used >= quota {
      used -= charge.time
      pause = charge.at + Self.hour - now
    }
    return pause
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
