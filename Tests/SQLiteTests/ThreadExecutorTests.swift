import Foundation
import SQLite
import Testing

/// Holds threads until a number of them have come.
///
/// `@unchecked`: the count is only touched with the condition's lock held.
private final class Barrier: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(count: Int) {
    missing = count
  }

  func wait() {
    condition.withLock {
      missing -= 1
      if missing == 0 { condition.broadcast() }
      while missing > 0 { condition.wait() }
    }
  }
}

struct ThreadExecutorTests {
  private actor Ledger {
    private let executor = ThreadExecutor(name: "test-ledger")
    private var database: Database?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    /// Blocks until every one of those who share `barrier` is here.
    func meet(at barrier: Barrier) { barrier.wait() }

    func add(_ value: Int) throws {
      let database = try database ?? Database(.memory)
      if self.database == nil {
        try database.execute("CREATE TABLE item (a)")
        self.database = database
      }
      try database.run("INSERT INTO item VALUES (?1)", value)
    }

    func total() throws -> Int? {
      try database?.first("SELECT sum(a) FROM item") { try $0.get(0) }
    }
  }

  @Test func `actors that block do not hold up one another`() async {
    // More than there are cooperative threads: on those they would wait for ever.
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount
    let barrier = Barrier(count: count)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        let ledger = Ledger()
        group.addTask { await ledger.meet(at: barrier) }
      }
      await group.waitForAll()
    }
  }

  @Test func `calls from many tasks run one after another`() async throws {
    let ledger = Ledger()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in 1...1000 { group.addTask { try await ledger.add(value) } }
      try await group.waitForAll()
    }
    #expect(try await ledger.total() == 500_500)
  }
}
