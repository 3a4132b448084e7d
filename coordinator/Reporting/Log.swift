import FarmAPI
import Foundation
import Synchronization

/// The coordinator's log on standard error, with one line per event.
package final class Log: Sendable {
  /// How much the log contains.
  package enum Level: Int, Comparable, Sendable {
    case quiet
    case normal
    case verbose

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  private let level: Level
  private let write: @Sendable (String) -> Void
  private let lock = Mutex(())

  package init(
    _ level: Level,
    write: @escaping @Sendable (String) -> Void = { StandardStream.error.write($0) }
  ) {
    self.level = level
    self.write = write
  }

  /// Logs a problem that the operator should look at.
  func error(_ message: @autoclosure () -> String) { say("error", message(), at: .quiet) }

  /// Logs a step of a job, or a worker that joins or leaves.
  func info(_ message: @autoclosure () -> String) { say("info", message(), at: .normal) }

  /// Logs an event of a single lease or chunk.
  func detail(_ message: @autoclosure () -> String) { say("detail", message(), at: .verbose) }

  private func say(_ kind: String, _ message: @autoclosure () -> String, at needed: Level) {
    guard level >= needed else { return }
    let time = Date().formatted(.iso8601)
    // Messages contain names that clients choose. A line break must not fake another event, and an escape sequence must
    // not alter earlier lines.
    let line = LogLine(message().split(whereSeparator: \.isNewline).joined(separator: " | "))
    lock.withLock { _ in write("\(time) \(kind): \(line)\n") }
  }
}
