import Support
import Synchronization
import Testing
import Threads

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SingleFlightTests {
  private let flight = SingleFlight<String, Int>()

  @Test func `work in progress is not started a second time`() async throws {
    let runs = Counter()
    let flight = flight
    let callers = (0..<8).map { _ in
      Task {
        runs.calls()
        return try await flight.run("film") {
          let others = runs.starts()
          try await eventually("all callers call") { runs.callers == 8 }
          runs.ends()
          return others
        }
      }
    }
    for task in callers { #expect(try await task.value == 0) }
  }

  @Test func `finished work is done again if it is requested again`() async throws {
    let runs = Counter()
    for expected in 1...3 {
      #expect(try await flight.run("film") { runs.begins() } == expected)
    }
  }

  @Test func `each key has its own work, and an error reaches its caller`() async throws {
    struct Broken: Error {}
    await #expect(throws: Broken.self) { try await flight.run("a") { throw Broken() } }
    #expect(try await flight.run("b") { 2 } == 2)
  }

  /// Counts callers, runs, and the runs in progress.
  private final class Counter: Sendable {
    private let state = Mutex((callers: 0, runs: 0, running: 0))
    var callers: Int { state.withLock { $0.callers } }
    func calls() { state.withLock { $0.callers += 1 } }
    /// Counts a new run, and returns the number of other runs in progress.
    func starts() -> Int {
      state.withLock {
        $0.running += 1
        return $0.running - 1
      }
    }
    func ends() { state.withLock { $0.running -= 1 } }
    func begins() -> Int {
      state.withLock {
        $0.runs += 1
        return $0.runs
      }
    }
  }
}
