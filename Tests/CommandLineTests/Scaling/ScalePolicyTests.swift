import Foundation
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct ScalePolicyTests {
  private func situation(
    _ desired: Int, active: Set<String> = [], started: Set<String> = [], hours: Double = 0
  ) -> ScalePolicy.Situation {
    ScalePolicy.Situation(desired: desired, active: active, started: started, hours: hours)
  }

  @Test func `the missing workers are started, up to the maximum`() {
    let policy = ScalePolicy(maximum: 8)
    #expect(policy.count(in: situation(0)) == 0)
    #expect(policy.count(in: situation(5)) == 5)
    #expect(policy.count(in: situation(50)) == 8)
    #expect(policy.count(in: situation(5, active: ["rack"])) == 4)
    #expect(policy.count(in: situation(2, active: ["a", "b", "c"])) == 0)
  }

  @Test func `a worker that has not registered yet counts, and counts once when it has`() {
    let policy = ScalePolicy(maximum: 8)
    #expect(policy.count(in: situation(5, started: ["s-1", "s-2"])) == 3)
    #expect(policy.count(in: situation(5, active: ["s-1"], started: ["s-1", "s-2"])) == 3)
    // One that is draining takes no work, but is still paid for.
    #expect(policy.count(in: situation(50, active: ["s-1"], started: ["s-1", "s-2"])) == 6)
  }

  @Test func `the minimum is kept without work`() {
    let policy = ScalePolicy(minimum: 2, maximum: 8)
    #expect(policy.count(in: situation(0)) == 2)
    #expect(policy.count(in: situation(0, active: ["rack"])) == 1)
  }

  @Test func `no worker is started after the hours of a day`() {
    let policy = ScalePolicy(maximum: 8, hoursPerDay: 10)
    #expect(policy.count(in: situation(5, hours: 9.9)) == 5)
    #expect(policy.count(in: situation(5, hours: 10)) == 0)
  }

  @Test func `hours are summed over a day, and kept in a file`() throws {
    var hours = WorkerHours()
    let noon = Date(timeIntervalSince1970: 1_000_000_000)
    hours.add(workers: 4, seconds: 1800, at: noon)
    hours.add(workers: 1, seconds: 3600, at: noon + 3600)
    #expect(hours.sum(at: noon + 3600) == 3)
    #expect(hours.sum(at: noon + 86_400 + 600) == 1)
    let path = NSTemporaryDirectory() + "/hours-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try WorkerHours.read(path) == WorkerHours())
    try hours.write(path)
    #expect(try WorkerHours.read(path) == hours)
    try Data("no".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: CommandFailure.self) { try WorkerHours.read(path) }
    hours.add(workers: 0, seconds: 15, at: noon + 200_000)
    #expect(hours == WorkerHours())
  }

  @Test func `starts are further apart while workers end before they register`() {
    var pacing = StartPacing(coolDown: .seconds(30))
    #expect(pacing.wait(at: .zero) == .zero)
    pacing.noteStart(at: .seconds(10))
    #expect(pacing.wait(at: .seconds(15)) == .seconds(25))
    #expect(pacing.observe(active: [], started: ["a", "b"]) == [])
    // One registers, and the other ends first.
    #expect(pacing.observe(active: ["a"], started: ["a"]) == ["b"])
    #expect(pacing.wait(at: .seconds(15)) == .seconds(55))
    pacing.noteStart(at: .seconds(100))
    #expect(pacing.observe(active: [], started: ["c"]) == [])
    #expect(pacing.observe(active: [], started: []) == ["c"])
    #expect(pacing.wait(at: .seconds(100)) == .seconds(120))
    for _ in 0..<20 { pacing.noteStart(at: .seconds(200), hasFailed: true) }
    #expect(pacing.wait(at: .seconds(200)) == StartPacing.longest)
    // A worker that registers and ends later is no failure.
    #expect(pacing.observe(active: [], started: ["d"]) == [])
    #expect(pacing.observe(active: ["d"], started: ["d"]) == [])
    #expect(pacing.wait(at: .seconds(200)) == .seconds(30))
    #expect(pacing.observe(active: [], started: []) == [])
  }
}
