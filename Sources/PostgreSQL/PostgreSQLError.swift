import CPostgreSQL

/// An error of a PostgreSQL database or of the connection to it.
public struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// The problem, its subject and the remedy.
  public let message: String
  /// The five characters of the server's SQLSTATE, if the server reported the error.
  public let state: String?
  /// The statement, if there is one.
  public let sql: String?

  /// Whether the server did not answer in time, so that another try would wait as long.
  public let isTimeout: Bool

  /// The message, with the statement if there is one.
  public var description: String { sql.map { "\(message): in: \($0)" } ?? message }

  init(
    _ code: Code, _ message: String, state: String? = nil, sql: String? = nil,
    isTimeout: Bool = false
  ) {
    self.isTimeout = isTimeout
    self.code = code
    self.message = message
    self.state = state
    self.sql = sql
  }

  /// Creates an error from a failed result of the server.
  init(of result: OpaquePointer, sql: String) {
    // PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY and PG_DIAG_MESSAGE_DETAIL are characters, which Swift does not import.
    func field(_ name: Character) -> String? {
      PQresultErrorField(result, Int32(name.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let state = field("C")
    let problem = field("M") ?? Self.oneLine(PQresultErrorMessage(result))
    self.init(
      Code(state: state), [problem, field("D")].compactMap(\.self).joined(separator: ": "),
      state: state, sql: sql)
  }

  /// A message of libpq, whose lines end with line breaks.
  static func oneLine(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "unknown error" }
    let lines = String(cString: message).split(whereSeparator: \.isNewline)
    return lines.map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ")
  }
}

extension PostgreSQLError {
  /// A kind of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind {
      case unreachable, refused, lost, constraint, readOnly, full, conflict, cancelled
      case newerSchema, invalidAddress, invalidMigration, unsupported, other
    }

    private let kind: Kind

    /// No server answered, or none that accepts writes.
    public static let unreachable = Code(kind: .unreachable)
    /// The server does not let this user into this database, or its certificate is not valid.
    public static let refused = Code(kind: .refused)
    /// The connection broke, so that the outcome of the statement is unknown.
    public static let lost = Code(kind: .lost)
    /// A uniqueness, foreign key, not-null or check constraint failed.
    public static let constraint = Code(kind: .constraint)
    /// The server is a standby or does not accept writes.
    public static let readOnly = Code(kind: .readOnly)
    /// The server has no more disk space, memory or connections.
    public static let full = Code(kind: .full)
    /// Another transaction was in the way; the same one may succeed later.
    public static let conflict = Code(kind: .conflict)
    /// An administrator or a time limit of the server cancelled the statement.
    public static let cancelled = Code(kind: .cancelled)
    /// The database was written by a newer program.
    public static let newerSchema = Code(kind: .newerSchema)
    /// The URL of the database is not valid.
    public static let invalidAddress = Code(kind: .invalidAddress)
    /// The migrations of the program are not numbered 1, 2, 3, and so on.
    public static let invalidMigration = Code(kind: .invalidMigration)
    /// The server lacks something that is needed, or returns a type that this module does not read.
    public static let unsupported = Code(kind: .unsupported)
    /// Anything else; see the message.
    public static let other = Code(kind: .other)

    private init(kind: Kind) {
      self.kind = kind
    }

    /// The kind of an SQLSTATE ("PostgreSQL Error Codes", appendix A of its documentation).
    init(state: String?) {
      switch state {
      case "25006": self = .readOnly
      case "57014": self = .cancelled
      // The server shuts down, crashed, or is starting, or ends a session that did nothing for too long.
      case "57P01", "57P02", "57P03", "57P05", "25P03": self = .lost
      case "42501": self = .refused
      case let state?:
        switch state.prefix(2) {
        case "08": self = .lost
        case "23": self = .constraint
        case "28": self = .refused
        case "40": self = .conflict
        case "53": self = .full
        case "55": self = .conflict
        default: self = .other
        }
      case nil: self = .other
      }
    }
  }
}
