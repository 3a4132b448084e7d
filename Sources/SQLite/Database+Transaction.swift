extension Database {
  /// Runs `body` in one immediate transaction, which commits if `body` returns and rolls back if it throws.
  ///
  /// The write lock is taken at the start, so nothing inside can fail because of the lock. Transactions do not nest: an
  /// inner one throws.
  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // After some failures, such as a full disk, SQLite has already rolled back.
      // A failure to roll back must not hide the reason for it.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
