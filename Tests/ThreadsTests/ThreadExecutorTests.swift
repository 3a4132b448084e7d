import Foundation
import Support
import Testing
import Threads

/// Blocks threads until a number of them have arrived.
///
/// `@unchecked`: the count is accessed only while the condition's lock is held.
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

@Suite(.mayBlock) struct ThreadExecutorTests {
  private actor Account {
    private let executor = ThreadExecutor(name: "test-account")
    private(set) var total = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    /// Blocks until all threads that share `barrier` have arrived.
    func meet(at barrier: Barrier) { barrier.wait() }

    func add(_ value: Int) { total += value }

    private(set) var order: [String] = []

    private func note(_ name: String) { order.append(name) }

    /// Starts two calls with each priority while the thread is busy. The urgent ones come last.
    func callInOrder() -> [Task<Void, Never>] {
      let calls = [("first", TaskPriority.medium), ("second", .medium)]
      let urgent = [("urgent", TaskPriority.urgent), ("urgent too", .urgent)]
      return (calls + urgent).map { name, priority in Task(priority: priority) { note(name) } }
    }
  }

  @Test func `blocking actors do not hold each other up`() async {
    // There are more than cooperative threads, where they would wait forever.
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount
    let barrier = Barrier(count: count)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        let account = Account()
        group.addTask { await account.meet(at: barrier) }
      }
      await group.waitForAll()
    }
  }

  @Test func `calls from many tasks run one after another`() async {
    let account = Account()
    await withTaskGroup(of: Void.self) { group in
      for value in 1...1000 { group.addTask { await account.add(value) } }
      await group.waitForAll()
    }
    #expect(await account.total == 500_500)
  }

  @Test func `urgent calls overtake those that wait`() async {
    let account = Account()
    for call in await account.callInOrder() { await call.value }
    #expect(await account.order == ["urgent", "urgent too", "first", "second"])
  }
}
