import Dispatch
import PostgreSQL
import Synchronization

/// A few connections for reading, which are kept for the next reader.
///
/// `@unchecked`: a connection belongs to the reader that took it out of `idle`.
final class ReaderConnections: @unchecked Sendable {
  /// More readers wait.
  private static let limit = 4

  private let address: ServerAddress
  private let places = DispatchSemaphore(value: limit)
  private let idle = Mutex<[Held]>([])

  private struct Held: @unchecked Sendable {
    let connection: Connection
  }

  init(to address: ServerAddress) { self.address = address }

  /// Calls `body` with a connection that nobody else uses. Blocks until one is free.
  func lend<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    places.wait()
    defer { places.signal() }
    let held =
      try take()
      ?? Held(connection: Connection(to: address, patience: PostgreSQLLedgerDatabase.patience))
    defer { if !held.connection.isBroken { idle.withLock { $0.append(held) } } }
    return try body(held.connection)
  }

  /// An idle connection that still works.
  private func take() -> Held? {
    while let held = idle.withLock({ $0.popLast() }) {
      if (try? held.connection.run("SELECT 1")) != nil { return held }
    }
    return nil
  }

  /// Closes the idle connections.
  func close() { idle.withLock { $0 = [] } }
}
