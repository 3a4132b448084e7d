import CSQLite
import Foundation
import Threads

/// Merges the write-ahead log of a database into its file, on a thread of its own.
///
/// By default, SQLite does this in the transaction that makes the log long enough, and the thread that commits waits
/// until changed pages from all over the database have reached the disk.
///
/// `@unchecked`: every access to its state holds `condition`.
final class LogMerger: @unchecked Sendable {
  /// The length of the log from which on it is merged, in pages: SQLite's default.
  private static let length: Int32 = 1000
  /// The length of the log from which on the committing thread merges it, too, in pages. It limits the log if this thread
  /// cannot keep up.
  private static let limit: Int32 = 16_000

  private let condition = NSCondition()
  private var isWanted = false
  private var isStopped = false
  private var hasEnded = false

  /// Starts the thread, which opens its own connection to the database file at `path`.
  init(of path: String) {
    BlockingThread.start(named: "sqlite-log") { [self] in
      run(path)
      condition.withLock {
        hasEnded = true
        condition.broadcast()
      }
    }
  }

  /// Waits until the thread has closed its connection.
  func stop() {
    condition.withLock {
      isStopped = true
      condition.broadcast()
      while !hasEnded { condition.wait() }
    }
  }

  /// Takes over from SQLite after each commit of a connection. The connection must close before this object is released.
  func attach(to connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { merger, connection, name, pages in
        guard let merger, pages >= LogMerger.length else { return SQLITE_OK }
        Unmanaged<LogMerger>.fromOpaque(merger).takeUnretainedValue().want()
        if pages >= LogMerger.limit { sqlite3_wal_checkpoint(connection, name) }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Lets SQLite merge the log after the commits of a connection again.
  func detach(from connection: OpaquePointer) {
    sqlite3_wal_autocheckpoint(connection, Self.length)
  }

  private func want() {
    condition.withLock {
      isWanted = true
      condition.broadcast()
    }
  }

  private func run(_ path: String) {
    var database: Database?
    while waitUntilWanted() {
      // If it fails, for example because the disk is full, the next commit calls for it again.
      if database == nil { database = try? Database(.file(path), access: .existing) }
      try? database?.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }
  }

  /// Waits for work. Returns `true` to merge the log, or `false` to end the thread.
  private func waitUntilWanted() -> Bool {
    condition.withLock {
      while !isWanted, !isStopped { condition.wait() }
      isWanted = false
      return !isStopped
    }
  }
}
