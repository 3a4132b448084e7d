import CPostgreSQL
import Glibc
import SQL

/// An owned connection to a PostgreSQL database.
///
/// It belongs to one thread or actor at a time, and is not `Sendable`. Every call may block on the network, so keep it in
/// an actor that runs on a `Threads.ThreadExecutor`. No statement is prepared under a name and no setting outlives a
/// transaction, so it also works through PgBouncer in transaction mode.
public final class Connection {
  private let handle: OpaquePointer
  /// The maximum time to wait for the answer to a statement.
  private let patience: Duration
  /// Whether the connection can no longer be used: it broke, or an answer did not come in time.
  public private(set) var isBroken = false

  /// Connects to a server.
  ///
  /// - Parameter patience: the maximum time to wait for the answer to a statement.
  /// - Throws: ``PostgreSQLError/Code/unreachable`` or ``PostgreSQLError/Code/refused``.
  public init(
    to address: ServerAddress, patience: Duration = .seconds(60)
  ) throws(PostgreSQLError) {
    let parameters = address.parameters.sorted { $0.key < $1.key }
    let keywords = parameters.map { strdup($0.key) }
    let values = parameters.map { strdup($0.value) }
    defer { for text in keywords + values { free(text) } }
    let terminated = { (texts: [UnsafeMutablePointer<CChar>?]) in
      texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }
    guard let handle = PQconnectdbParams(terminated(keywords), terminated(values), 0) else {
      throw PostgreSQLError(.unreachable, "\(address): there is no memory for a connection")
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      let problem = PostgreSQLError.oneLine(PQerrorMessage(handle))
      PQfinish(handle)
      throw Self.openingError(address, problem)
    }
    self.handle = handle
    self.patience = patience
    PQsetnonblocking(handle, 1)
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQserverVersion(handle) >= 150_000 else {
      throw PostgreSQLError(
        .unsupported, "\(address): the server is too old: PostgreSQL 15 or later is needed")
    }
  }

  deinit { PQfinish(handle) }

  /// The error for a server that does not accept the connection. libpq reports no SQLSTATE for it.
  private static func openingError(_ address: ServerAddress, _ problem: String) -> PostgreSQLError {
    let refusals = [
      "authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
      "certificate", "SSL error", "server does not support SSL", "root certificate file",
    ]
    let code: PostgreSQLError.Code =
      refusals.contains { problem.contains($0) } ? .refused : .unreachable
    return PostgreSQLError(code, "cannot connect to \(address): \(problem)")
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

  /// Runs statements one after the other, and returns the complete result of the last one. Sends all of them before it
  /// waits for the first answer. If one fails, those after it do not run.
  ///
  /// - Throws: the error of the statement that failed.
  func query(_ statements: [Statement]) throws(PostgreSQLError) -> QueryResult? {
    guard let last = statements.last?.sql else { return nil }
    guard !isBroken, PQenterPipelineMode(handle) == 1 else { throw lost(last) }
    for statement in statements {
      // Without the request, the server keeps its answers until the last statement has run.
      guard statement.send(over: handle), PQsendFlushRequest(handle) == 1 else { throw lost(last) }
    }
    guard PQpipelineSync(handle) == 1 else { throw lost(last) }
    try flush(last, until: .now + patience)
    var (kept, error): (OpaquePointer?, PostgreSQLError?) = (nil, nil)
    do throws(PostgreSQLError) {
      for statement in statements {
        let deadline = ContinuousClock.now + patience
        let result = try nextResult(statement.sql, until: deadline)
        PQclear(kept)
        kept = result
        guard let result else { throw lost(statement.sql) }
        // After an error, there are results which say that a statement did not run.
        error = error ?? Self.failure(result, statement.sql)
        guard error?.code != .lost, try nextResult(statement.sql, until: deadline) == nil else {
          throw lost(statement.sql)
        }
      }
      let end = try nextResult(last, until: .now + patience)
      defer { PQclear(end) }
      guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQstatus(handle) == CONNECTION_OK,
        PQexitPipelineMode(handle) == 1
      else { throw lost(last, end.flatMap { Self.failure($0, last) }) }
    } catch let loss {
      PQclear(kept)
      throw error.map { lost($0.sql ?? last, $0) } ?? loss
    }
    guard let kept else { throw lost(last) }
    if let error {
      PQclear(kept)
      throw error
    }
    return try QueryResult(kept, sql: last)
  }

  /// The error of a result; `nil` if its statement succeeded.
  private static func failure(_ result: OpaquePointer, _ sql: String) -> PostgreSQLError? {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: nil
    default: PostgreSQLError(of: result, sql: sql)
    }
  }

  /// The next result; `nil` after the last one of a statement.
  private func nextResult(
    _ sql: String, until deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try wait(for: POLLIN, sql, until: deadline)
      guard PQconsumeInput(handle) == 1 else { throw lost(sql) }
    }
    return PQgetResult(handle)
  }

  /// Runs every statement of `script` in one transaction. The statements must have neither parameters nor rows.
  public func execute(_ script: String) throws(PostgreSQLError) {
    let deadline = ContinuousClock.now + patience
    guard !isBroken, PQsendQuery(handle, script) == 1 else { throw lost(script) }
    try flush(script, until: deadline)
    var error: PostgreSQLError?
    while let result = try nextResult(script, until: deadline) {
      error = error ?? Self.failure(result, script)
      PQclear(result)
    }
    guard PQstatus(handle) == CONNECTION_OK, error?.code != .lost else { throw lost(script, error) }
    if let error { throw error }
  }

  /// Runs statements, and commits the open transaction.
  ///
  /// - Throws: ``PostgreSQLError`` also if an earlier statement of the transaction has failed: the server then answers
  ///   without an error, but rolls the transaction back.
  public func commit(after earlier: [Statement] = []) throws(PostgreSQLError) {
    guard try query(earlier + [Statement("COMMIT")])?.command == "COMMIT" else {
      throw PostgreSQLError(.other, "the transaction was rolled back, because a statement failed")
    }
  }

  private func flush(_ sql: String, until deadline: ContinuousClock.Instant) throws(PostgreSQLError)
  {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        // The server may send messages before it reads more.
        try wait(for: POLLIN | POLLOUT, sql, until: deadline)
        guard PQconsumeInput(handle) == 1 else { throw lost(sql) }
      default: throw lost(sql)
      }
    }
  }

  private func wait(
    for events: Int32, _ sql: String, until deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    while true {
      let left = deadline - ContinuousClock.now
      var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / Int64(1e15)
      let ready = poll(&socket, 1, Int32(clamping: max(0, milliseconds)))
      if ready > 0 { return }
      if ready < 0, errno == EINTR { continue }
      isBroken = true
      throw PostgreSQLError(
        .lost, "the database server did not answer within \(patience.components.seconds) s",
        sql: sql, isTimeout: true)
    }
  }

  /// The error for a broken connection.
  private func lost(_ sql: String, _ cause: PostgreSQLError? = nil) -> PostgreSQLError {
    isBroken = true
    let problem = cause?.message ?? PostgreSQLError.oneLine(PQerrorMessage(handle))
    return PostgreSQLError(
      .lost, "the connection to the database broke: \(problem)", state: cause?.state, sql: sql)
  }
}
