import FarmAPI
import Foundation

/// A worker's log, with one line per event.
package struct EventLog: Sendable {
  private let write: @Sendable (String) -> Void
  private var subject = ""
  /// Gets a copy of each line, without the subject.
  private var lines: AttemptLines?

  /// A log whose lines go to `write`, without line feeds.
  package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// A log on standard error, with the time at the start of each line.
  package static let standardError = EventLog { line in
    let text = "\(Date.now.formatted(.iso8601)) \(line)\n"
    let bytes = Array(text.utf8)
    // One write per line, so that lines of several threads do not mix. Errors are ignored, because the log may have no
    // reader.
    _ = bytes.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Records an event with its details. Line breaks in values become spaces, invisible characters are escaped, and a long
  /// line is cut.
  package func record(_ event: String, _ details: KeyValuePairs<String, String> = [:]) {
    write("\(LogLine(event + subject + Self.fields(details)))")
    lines?.add(event + Self.fields(details))
  }

  /// A log about an attempt, whose lines the coordinator gets too.
  package func copying(to lines: AttemptLines) -> EventLog {
    var log = self
    log.lines = lines
    return log
  }

  /// A log that adds the same details to all its events.
  package func about(_ details: KeyValuePairs<String, String>) -> EventLog {
    var log = self
    log.subject += Self.fields(details)
    return log
  }

  private static func fields(_ details: KeyValuePairs<String, String>) -> String {
    details.map { key, value in
      " \(key)=\(value.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }.joined()
  }
}
