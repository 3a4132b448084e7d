import Threads

/// Long work that leaves the actor free for other calls.
extension Farm {
  /// Reads the ledger in its current state, on its own thread and connection. Calls of the farm may change the ledger
  /// meanwhile.
  ///
  /// - Throws: an error from `read` or of the ledger; `CancellationError` if the farm is stopping.
  func snapshot<Value: Sendable>(
    _ read: @escaping @Sendable (any FarmLedger) throws -> Value
  ) async throws -> Value {
    guard !isStopping else { throw CancellationError() }
    // A ledger in memory has only one connection.
    guard let snapshot = ledger.snapshot else { return try read(ledger) }
    openSnapshots += 1
    defer { endSnapshot() }
    return try await BlockingThread.run(named: "ledger") { try snapshot.read(read) }
  }

  private func endSnapshot() {
    openSnapshots -= 1
    guard openSnapshots == 0 else { return }
    for waiter in snapshotWaiters { waiter.resume() }
    snapshotWaiters = []
  }

  /// Waits until no snapshot is being read. The writing connection has to be the last one to close, because it then
  /// removes the ledger's log.
  func waitForSnapshots() async {
    while openSnapshots > 0 {
      await withCheckedContinuation { snapshotWaiters.append($0) }
    }
  }

  /// Answers other calls before the next slice of long work.
  ///
  /// - Throws: `CancellationError` if the farm is stopping.
  func letOthersIn() async throws {
    await clock.giveTurn()
    guard !isStopping else { throw CancellationError() }
  }
}
