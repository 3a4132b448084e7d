import Foundation

/// The log of a program, with one line per event: in logfmt, or a JSON object.
///
/// Every line has the time in milliseconds, a level, a message and fields. Text in them may come from outside: it is
/// made printable and quoted, so it cannot forge a line or a field. See ``LogRecord``.
public struct Log: Sendable {
  /// How much the log contains.
  public enum Level: Int, Comparable, Sendable {
    /// Only problems.
    case quiet
    /// Also the steps of jobs, and workers that join or leave.
    case normal
    /// Also events of single leases and chunks.
    case verbose

    /// Orders less before more.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The format of the lines.
  public enum Format: String, Sendable, CaseIterable {
    /// `key=value` pairs, quoted if necessary.
    case logfmt = "logfmt"
    /// A JSON object.
    case json = "json"
  }

  private let level: Level
  private let format: Format
  private let now: @Sendable () -> Date
  private let write: @Sendable (String) -> Void
  private var subject = LogFields()
  /// Gets the text of each line about an attempt, without the time and the subject.
  private var copy: (@Sendable (String) -> Void)?

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - level: how much it contains.
  ///   - format: the format of its lines.
  ///   - write: writes a line with its line feed, in one piece. Several threads may call it at once.
  ///   - now: returns the time.
  public init(
    _ level: Level, as format: Format = .logfmt,
    write: @escaping @Sendable (String) -> Void = Log.writeToStandardError,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.level = level
    self.format = format
    self.now = now
    self.write = write
  }

  /// Logs a problem that the operator should look at.
  public func error(_ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    say("error", message(), fields, at: .quiet)
  }

  /// Logs a step of a job, or a worker that joins or leaves.
  public func info(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]
  ) {
    say("info", message(), fields(), at: .normal)
  }

  /// Logs an event of a single lease or chunk.
  public func detail(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]
  ) {
    say("detail", message(), fields(), at: .verbose)
  }

  /// A log that adds the same fields to all its lines.
  public func about(_ fields: LogFields) -> Log {
    var log = self
    log.subject = fields + subject
    return log
  }

  /// A log about an attempt, whose lines are also given to `receive`: each as its message and its own fields.
  public func copying(to receive: @escaping @Sendable (String) -> Void) -> Log {
    var log = self
    log.copy = receive
    return log
  }

  private func say(
    _ kind: String, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields,
    at needed: Level
  ) {
    if let copy {
      let details = fields().fields.map { " \($0.name)=\($0.value)" }.joined()
      copy(message() + details)
    }
    guard level >= needed else { return }
    let record = LogRecord(
      time: now(), level: kind, message: message(), fields: fields() + subject)
    write(record.line(as: format) + "\n")
  }

  /// Writes a line to standard error in a single system call if possible. Nothing is written if nothing reads it or the
  /// disk is full.
  public static let writeToStandardError: @Sendable (String) -> Void = { line in
    var rest = ArraySlice(Array(line.utf8))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
