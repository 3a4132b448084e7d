import Foundation
import SQLite
import Testing

struct ThreadExecutorTests {
  private actor Ledger {
    private let executor = ThreadExecutor(name: "test-ledger")
    private var database: Database?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    var threadName: String? { Thread.current.name }

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

  @Test func `an actor's calls run on the executor's thread`() async {
    let ledger = Ledger()
    for _ in 0..<10 {
      await Task.yield()
      #expect(await ledger.threadName == "test-ledger")
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
