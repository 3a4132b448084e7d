import Crypto
import FarmAPI
import Foundation
import PostgreSQL
import SQL
import Synchronization
import Threads

/// Keeps the tokens, and the list of forgotten chunks, the same in the data directories of several coordinators.
///
/// Each directory's files are merged with the records in the ledger's database. Merging is a union in which a revoked
/// token stays revoked, so the order of merges does not matter, and the records need no owner.
package final class TrustExchange: Sendable {
  /// A kind of records, and how they are merged.
  private struct Kind<Record: Codable & Hashable & Sendable>: Sendable {
    let name: String
    let file: RecordFile<Record>
    let id: @Sendable (Record) throws -> Digest
    let merge: @Sendable (Record, Record) -> Record
  }

  private struct Seen: Equatable {
    let tokens: TokenFile.Identity?
    let forgotten: ForgetFile.Identity?
    /// The sum of the records' change numbers, which grows with every change.
    let changes: Int
  }

  private let data: String
  private let address: ServerAddress
  private let tokens: Kind<TokenRecord>
  private let forgotten: Kind<ChunkSelection>
  private let isStopped = Mutex(false)
  private static let interval: TimeInterval = 1

  /// Describes the exchange between a data directory and a ledger.
  package init(data: String, ledger: ServerAddress) {
    self.data = data
    address = ledger
    tokens = Kind(
      name: "token", file: TokenFile(data: data), id: \.sha256, merge: TokenRecord.reconciling)
    forgotten = Kind(
      name: "forgotten", file: ForgetFile(data: data),
      id: { Digest.of([UInt8](try FarmCoding.encode($0))) }, merge: { one, _ in one })
  }

  /// Merges the records once, unless the ledger is not the data directory's, or does not exist yet. Blocks.
  ///
  /// - Returns: whether they were merged.
  @discardableResult
  package func merge() throws -> Bool {
    let connection = try Ledger.connect(to: address)
    return try Ledger.reporting(address) {
      guard try isMember(connection) else { return false }
      _ = try merge(connection, unless: nil)
      return true
    }
  }

  /// Merges the records of a data directory if its ledger is on a server and the server's address is known, after a
  /// command has changed them.
  static func share(_ data: String, at ledger: ServerAddress?) throws {
    guard let ledger, try OwnerRecord.isOnServer(data) else { return }
    guard try TrustExchange(data: data, ledger: ledger).merge() else {
      throw StorageError(
        .unreadable,
        "the change is in \(data), but the other coordinators do not know it, because the ledger "
          + "\(ledger) does not belong to \(data): check --ledger, and start the coordinator of \(data)"
      )
    }
  }

  /// Whether the ledger belongs to the farm of the data directory. Tokens of another farm must never be mixed in.
  private func isMember(_ connection: Connection) throws -> Bool {
    let hasRecords = try connection.first(
      "SELECT to_regclass('trust_records') IS NOT NULL AS has_records"
    ) { try $0.get("has_records") as Bool }
    guard hasRecords == true, let own = try OwnerRecord.read(in: data)?.directory else {
      return false
    }
    return try connection.first("SELECT directory FROM ledger_owner") {
      try $0.get("directory") as String
    } == own
  }

  /// Merges the records whenever they change, on a thread of its own, until ``stop()`` is called.
  func start(_ log: Log) {
    BlockingThread.start(named: "trust-exchange") { [self] in
      var connection: Connection?
      var seen: Seen?
      var problem: String?
      while !isStopped.withLock({ $0 }) {
        do {
          if connection?.isBroken != false { connection = try Connection(to: address) }
          if let connection, try isMember(connection) {
            seen = try merge(connection, unless: seen)
          }
          problem = nil
        } catch {
          // The ledger has its own messages if the server cannot be reached.
          if problem != "\(error)", (error as? PostgreSQLError)?.code != .unreachable {
            log.error("cannot exchange tokens with the other coordinators: \(error)")
          }
          problem = "\(error)"
        }
        Thread.sleep(forTimeInterval: Self.interval)
      }
    }
  }

  /// Ends the thread.
  func stop() { isStopped.withLock { $0 = true } }

  /// Merges the records unless nothing has changed. Returns the state that was merged.
  private func merge(_ connection: Connection, unless seen: Seen?) throws -> Seen {
    // The next call merges later changes.
    let now = Seen(
      tokens: try tokens.file.identity(), forgotten: try forgotten.file.identity(),
      changes: try connection.first(
        "SELECT CAST(coalesce(sum(change), 0) AS bigint) AS number FROM trust_records"
      ) { try $0.get("number") } ?? 0)
    guard now != seen else { return now }
    try merge(tokens, connection)
    try merge(forgotten, connection)
    return now
  }

  private func merge<Record>(_ kind: Kind<Record>, _ connection: Connection) throws {
    let known = try records(kind, connection)
    let merged = try Self.union(of: kind.file.records(), known, by: kind)
    if merged.hasNews {
      // Another process may have changed the file meanwhile.
      try kind.file.update { $0 = try Self.union(of: $0, known, by: kind).records }
    }
    guard try merged.records.contains(where: { known["\(try kind.id($0))"] != $0 }) else { return }
    try connection.transaction(PostgreSQLLedgerDatabase.opening) {
      // Another coordinator may have written meanwhile.
      try connection.execute("LOCK TABLE trust_records IN SHARE ROW EXCLUSIVE MODE")
      let known = try records(kind, connection)
      for record in try Self.union(of: merged.records, known, by: kind).records {
        let id = "\(try kind.id(record))"
        guard known[id] != record else { continue }
        try connection.run(
          """
          INSERT INTO trust_records (kind, id, record) VALUES ($1, $2, $3)
          ON CONFLICT (kind, id) DO UPDATE SET record = excluded.record, change = excluded.change
          """, kind.name, id, [UInt8](try FarmCoding.encode(record)))
      }
    }
  }

  /// The records of a kind in the database, by id.
  private func records<Record>(
    _ kind: Kind<Record>, _ connection: Connection
  ) throws -> [String: Record] {
    let stored = try connection.rows(
      "SELECT id, record FROM trust_records WHERE kind = $1", kind.name
    ) { row in
      let record: [UInt8] = try row.get("record")
      return (try row.get("id") as String, try FarmCoding.decode(Record.self, from: Data(record)))
    }
    return Dictionary(stored) { $1 }
  }

  /// The records of a file and of the database, those of the file first, and whether the file lacks something.
  private static func union<Record>(
    of local: [Record], _ known: [String: Record], by kind: Kind<Record>
  ) throws -> (records: [Record], hasNews: Bool) {
    var rest = known
    var records = try local.map { record in
      guard let other = rest.removeValue(forKey: "\(try kind.id(record))") else { return record }
      return kind.merge(record, other)
    }
    records += rest.sorted { $0.key < $1.key }.map(\.value)
    return (records, records != local)
  }
}

extension TokenRecord {
  /// Merges two records of a token. If one of them is revoked, the result is; its chunks stay usable only if each
  /// revocation keeps them. The result does not depend on the order.
  package static func reconciling(_ one: TokenRecord, _ other: TokenRecord) -> TokenRecord {
    guard one != other else { return one }
    // Other properties change only if a file is edited by hand.
    var result = "\(one)" < "\(other)" ? one : other
    guard let first = one.revokedAt, let second = other.revokedAt else {
      return one.isActive == other.isActive ? result : one.isActive ? other : one
    }
    result.revokedAt = min(first, second)
    result.keepsChunks = one.keepsChunks == true && other.keepsChunks == true ? true : nil
    return result
  }
}
