import CoordinatorSupport
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Which changes are remembered for clients that reconnect.
@Suite(.mayBlock) struct ChangeLogTests {
  private func job(_ number: Int) -> EventSubject { .job(JobID(rawValue: "\(number)")) }

  @Test func `only what has changed since is reported, once, in the order of the last changes`() {
    var log = ChangeLog()
    for number in [1, 2, 3, 1, 4] { _ = log.append(job(number)) }
    #expect(log.number == 5)
    #expect(log.subjects(since: 2) == [job(3), job(1), job(4)])
    #expect(log.subjects(since: 4) == [job(4)])
    #expect(log.subjects(since: 5) == [])
  }

  @Test func `numbers that were never given are not known`() {
    var log = ChangeLog()
    _ = log.append(job(1))
    #expect(log.subjects(since: 0) == nil)
    #expect(log.subjects(since: 2) == nil)
  }

  @Test func `a removed job is reported as removed only`() {
    var log = ChangeLog()
    let worker = WorkerID(rawValue: "w")
    let first = log.append(job(9))
    _ = log.append(job(1))
    _ = log.append(.worker(worker))
    _ = log.append(.removed(JobID(rawValue: "1"), of: "ada"))
    _ = log.append(.removedWorker(worker))
    #expect(
      log.subjects(since: first)
        == [.removed(JobID(rawValue: "1"), of: "ada"), .removedWorker(worker)])
  }

  @Test func `the oldest changes are forgotten, and then nothing since them is known`() {
    var log = ChangeLog(limit: 100)
    for number in 1...1000 { _ = log.append(job(number)) }
    #expect(log.subjects(since: 500) == nil)
    #expect(log.subjects(since: 998) == [job(999), job(1000)])
    #expect(log.subjects(since: 950)?.count == 50)
  }

  @Test func `many changes of few jobs stay known`() {
    var log = ChangeLog()
    for number in 0..<100_000 { _ = log.append(job(number % 10)) }
    #expect(log.subjects(since: 1)?.count == 10)
    #expect(log.subjects(since: 99_995)?.count == 5)
  }
}
