import FarmAPI
import Foundation
import Preparation
import Support
import Synchronization
import Testing

/// The limit on the planning time of one submitter in an hour.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanningQuotaTests {
  /// A clock that a test sets.
  private final class Hand: Sendable {
    private let start = ContinuousClock.now
    private let passed = Mutex(Duration.zero)

    func pass(_ time: Duration) { passed.withLock { $0 += time } }

    @Sendable func now() -> ContinuousClock.Instant { start + passed.withLock { $0 } }
  }

  private func refusal(of submitter: String?, by quota: PlanningQuota) -> JobFailure? {
    do {
      try quota.check(submitter)
      return nil
    } catch {
      return (error as? JobError)?.failure
    }
  }

  @Test func `only a submitter that has used up its seconds for the hour is refused`() {
    let quota = PlanningQuota(seconds: 10)
    quota.charge(.seconds(9), to: "anna")
    quota.charge(.seconds(20), to: nil)
    #expect(refusal(of: "anna", by: quota) == nil)
    quota.charge(.seconds(1), to: "anna")
    #expect(refusal(of: "anna", by: quota)?.code == .planningQuotaReached)
    #expect(refusal(of: "ben", by: quota) == nil)
    #expect(refusal(of: nil, by: quota) == nil)
  }

  @Test func `seconds become free an hour after they were spent, and the message says when`() {
    let hand = Hand()
    let quota = PlanningQuota(seconds: 10, now: hand.now)
    quota.charge(.seconds(6), to: "anna")
    hand.pass(.seconds(600))
    quota.charge(.seconds(6), to: "anna")
    let message = refusal(of: "anna", by: quota)?.message
    #expect(message?.contains("in 50 minutes") == true, "\(message ?? "")")
    #expect(message?.contains("(\(PlanningQuota.option))") == true)
    hand.pass(.seconds(2999))
    #expect(refusal(of: "anna", by: quota) != nil)
    hand.pass(.seconds(1))
    #expect(refusal(of: "anna", by: quota) == nil)
    quota.charge(.seconds(4), to: "anna")
    #expect(refusal(of: "anna", by: quota) != nil)
  }

  @Test func `the media of an accepted job is probed as soon as there is time again`() async throws
  {
    let scratch = try TemporaryDirectory()
    let hand = Hand()
    let quota = PlanningQuota(seconds: 10, now: hand.now, sleep: { hand.pass($0) })
    let children = MediaChildren(
      limit: 1,
      executable: try scratch.script("while receive; do answer '{\"done\":{}}'; done"),
      quota: quota)
    quota.charge(.seconds(10), to: "anna")
    let before = hand.now()
    let files = [ProbeRequest(path: "x", name: "holiday.mp4")]
    let error = await #expect(throws: JobError.self) {
      try await children.index(files, in: scratch.path, for: "anna") { _, _ in }
    }
    #expect(error?.failure.code == .planningQuotaReached)
    #expect(
      hand.now() == before, "indexing fails at once, so that the job waits while it holds nothing")
    try await children.waitForPlanningTime(of: "anna")
    #expect(hand.now() - before == .seconds(3600))
    let errors = try await children.index(files, in: scratch.path, for: "anna") { _, _ in }
    #expect(errors == [nil])
  }
}
