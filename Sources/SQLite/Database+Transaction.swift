extension Database {
  /// Runs `body` in one immediate transaction: commits when it returns and rolls back when it throws.
  ///
  /// The write lock is taken at the start, so that nothing inside can fail for the lock. Transactions do not
  /// nest: an inner one throws.
  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // After some failures (a full disk) SQLite has rolled back already.
      if isInTransaction { try execute("ROLLBACK") }
      throw error
    }
  }
}
