import Foundation
import Support
import Testing
import sheaf

/// The hours that workers have run and may still run.
@Suite(.mayBlock) struct WorkerHoursTests {
  private let folder: TemporaryDirectory
  private var state: String { folder.path("state") }
  private let noon = Date(timeIntervalSince1970: 1_000_000_200)

  init() throws { folder = try TemporaryDirectory() }

  private func workers(_ count: Int) -> Set<String> { Set((0..<count).map { "s-\($0)" }) }

  @Test func `hours are summed over a day, also those of a pause, and kept in a file`() throws {
    var hours = WorkerHours()
    hours.note(running: workers(4), lifetime: 82_800, at: noon)
    #expect(hours.sum == 0)
    // Those that have ended may have run until now.
    hours.note(running: workers(2), lifetime: 82_800, at: noon + 1800)
    #expect(hours.sum == 2)
    hours.note(running: workers(3), lifetime: 82_800, at: noon + 5400)
    #expect(hours.sum == 5)
    #expect(try WorkerHours.read(state) == WorkerHours())
    try hours.write(state)
    var kept = try WorkerHours.read(state)
    #expect(kept == hours)
    // The command did not run for two hours.
    kept.note(running: [], lifetime: 82_800, at: noon + 12_600)
    #expect(kept.sum == 11)
    kept.note(running: [], lifetime: 82_800, at: noon + 5400 + 86_400 + 600)
    #expect(kept.sum == 6)
    try Data("no".utf8).write(to: URL(fileURLWithPath: state))
    #expect(throws: CommandFailure.self) { try WorkerHours.read(state) }
  }

  @Test func `hours that were noted while the clock was wrong are forgotten`() {
    var hours = WorkerHours()
    hours.note(running: workers(1), lifetime: 82_800, at: noon + 1_000_000)
    hours.note(running: workers(1), lifetime: 82_800, at: noon + 1_003_600)
    #expect(hours.sum == 1)
    hours.note(running: workers(1), lifetime: 82_800, at: noon)
    #expect(hours.sum == 0)
  }

  @Test func `lifetimes are promised from the start of a worker to its end, also across a restart`()
    throws
  {
    var hours = WorkerHours()
    hours.note(running: [], lifetime: 7200, at: noon)
    hours.started(["s-0", "s-1"], lifetime: 7200, at: noon)
    #expect(hours.promised == 4)
    // A lifetime does not begin in the queue.
    hours.note(running: ["s-0"], waiting: ["s-1"], lifetime: 7200, at: noon + 3600)
    #expect(hours.promised == 4 && hours.sum == 1)
    try hours.write(state)
    hours = try WorkerHours.read(state)
    hours.note(running: ["s-0"], waiting: ["s-1"], lifetime: 7200, at: noon + 7200)
    #expect(hours.promised == 3 && hours.sum == 2)
    // The first one finishes a segment after the end of its lifetime.
    hours.note(running: ["s-0", "s-1"], lifetime: 7200, at: noon + 12_600)
    #expect(hours.promised == 2 && hours.sum == 5)
    hours.note(running: ["s-1"], lifetime: 7200, at: noon + 12_600)
    #expect(hours.promised == 2)
    hours.note(running: [], lifetime: 7200, at: noon + 12_600)
    #expect(hours.promised == 0)
  }

  @Test func `a worker whose lifetime is not known counts with the longest one`() throws {
    var hours = WorkerHours()
    hours.note(running: ["s-0"], waiting: ["s-1"], lifetime: 7200, at: noon)
    #expect(hours.promised == 4)
    try hours.write(state)
    // A later run gives shorter lifetimes. The earlier one may have started a worker just before it ended.
    hours = try WorkerHours.read(state)
    hours.started(["s-3"], lifetime: 600, at: noon)
    hours.note(running: workers(4), lifetime: 3600, at: noon)
    #expect(hours.promised == 22_200 / 3600.0)
    hours.note(running: [], lifetime: 3600, at: noon + 60)
    hours.note(running: [], lifetime: 3600, at: noon + 60)
    hours.note(running: ["s-4"], lifetime: 3600, at: noon + 60)
    #expect(hours.promised == 1)
  }

  @Test func `a process that an earlier run started is reserved hours until it registers`() {
    var hours = WorkerHours()
    hours.note(running: [], lifetime: 3600, seesAll: false, at: noon)
    hours.started(["s-0", "s-1"], lifetime: 3600, at: noon)
    hours.note(running: ["s-0"], lifetime: 3600, seesAll: false, at: noon + 30)
    #expect(hours.promised == 2)
    hours.note(running: ["s-0"], lifetime: 3600, seesAll: false, at: noon + 60)
    #expect(hours.promised == 3570 / 3600.0)
  }

  @Test func `the file of an earlier version is read`() throws {
    let text = #"{"lastCount":3,"lastLook":"2001-09-09T01:50:00Z","steps":{"1666667":2}}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: state))
    var hours = try WorkerHours.read(state)
    #expect(hours.sum == 2 && hours.promised == 0)
    hours.note(running: workers(2), lifetime: 3600, at: noon + 1800)
    #expect(hours.sum == 3 && hours.promised == 2)
  }
}
