import Preparation
import Support
import Synchronization
import Testing

/// The order in which parties get the few places of a gate.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FairGateTests {
  /// Work that keeps its place until it is ended, and the order in which it began.
  private final class Work: Sendable {
    private struct State {
      var begun: [String] = []
      var stays: [String: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    var begun: [String] { state.withLock { $0.begun } }

    func stay(_ name: String) async {
      await withCheckedContinuation { continuation in
        state.withLock {
          $0.begun.append(name)
          $0.stays[name] = continuation
        }
      }
    }

    func end(_ name: String) {
      state.withLock { $0.stays.removeValue(forKey: name) }?.resume()
    }

    func wait(for count: Int) async throws {
      try await eventually("\(count) tasks have begun") { begun.count >= count }
    }
  }

  private let work = Work()

  /// Begins work for a party. The work is in line when this returns.
  private func begin(
    _ name: String, for party: String?, at gate: FairGate
  ) async throws -> Task<Void, any Error> {
    let waiting = gate.waitingCount
    let task = Task { try await gate.run(for: party) { await work.stay(name) } }
    try await eventually("\(name) is in line or has begun") {
      gate.waitingCount > waiting || work.begun.contains(name)
    }
    return task
  }

  @Test func `a party's second task waits until another party's first task has started`()
    async throws
  {
    let gate = FairGate(1)
    var tasks = [try await begin("a1", for: "a", at: gate)]
    try await work.wait(for: 1)
    for name in ["a2", "a3", "b1"] {
      tasks.append(try await begin(name, for: String(name.prefix(1)), at: gate))
    }
    work.end("a1")
    try await work.wait(for: 2)
    #expect(work.begun.last == "b1")
    work.end("b1")
    try await work.wait(for: 3)
    work.end(work.begun[2])
    try await work.wait(for: 4)
    work.end(work.begun[3])
    for task in tasks { try await task.value }
  }

  @Test func `the last slot is reserved for a party that has none`() async throws {
    let gate = FairGate(2)
    var tasks: [Task<Void, any Error>] = []
    for name in ["a1", "a2"] { tasks.append(try await begin(name, for: "a", at: gate)) }
    try await work.wait(for: 1)
    #expect(work.begun == ["a1"])
    tasks.append(try await begin("b1", for: "b", at: gate))
    try await work.wait(for: 2)
    #expect(work.begun == ["a1", "b1"])
    work.end("b1")
    work.end("a1")
    try await work.wait(for: 3)
    #expect(work.begun.last == "a2")
    work.end("a2")
    for task in tasks { try await task.value }
  }

  @Test func `work that is cancelled while it waits takes no slot`() async throws {
    let gate = FairGate(1)
    let first = try await begin("a1", for: nil, at: gate)
    try await work.wait(for: 1)
    let second = try await begin("a2", for: nil, at: gate)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    work.end("a1")
    try await first.value
    let third = try await begin("a3", for: nil, at: gate)
    try await work.wait(for: 2)
    #expect(work.begun == ["a1", "a3"])
    work.end("a3")
    try await third.value
  }
}
