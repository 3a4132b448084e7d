import Foundation
import Timeline

/// The lines that a worker or the coordinator logs about an attempt, each with its time.
///
/// Its length is limited. If there are too many lines, the first line and the newest ones are kept, and a note states
/// how many are missing between them.
public struct AttemptLog: Hashable, Sendable {
  /// The maximum length of a log in bytes of UTF-8: 16 KiB.
  public static let byteLimit = 16 << 10
  /// The space that is kept for the note about missing lines.
  private static let noteBytes = 64

  private let limit: Int
  private var lines: [String] = []
  private var byteCount = 0
  private var missing = 0

  /// Creates an empty log.
  public init() { self.init(limit: Self.byteLimit) }

  private init(limit: Int) { self.limit = limit }

  /// Whether it has no line.
  public var isEmpty: Bool { lines.isEmpty }

  /// Adds a line.
  ///
  /// - Parameter source: the name of the program that logs it.
  public mutating func add(_ message: String, from source: String, at date: Date) {
    let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    append("\(time) \(source): \(LogRecord.safe(message))")
  }

  /// Adds the lines of a log that was received as text. Its characters are made printable.
  public mutating func add(linesOf text: String) {
    for line in text.shortened(toBytes: Self.byteLimit).split(separator: "\n") {
      append(LogRecord.safe(String(line)))
    }
  }

  /// The log with a lower limit than ``byteLimit``.
  public func shortened(toBytes limit: Int) -> AttemptLog {
    guard byteCount > limit - Self.noteBytes else { return self }
    var log = AttemptLog(limit: limit)
    for line in lines { log.append(line) }
    log.missing += missing
    return log
  }

  private mutating func append(_ line: String) {
    // So that two lines and the note always fit.
    let line = line.shortened(toBytes: limit / 4)
    lines.append(line)
    byteCount += line.utf8.count + 1
    while byteCount > limit - Self.noteBytes, lines.count > 2 {
      byteCount -= lines.remove(at: 1).utf8.count + 1
      missing += 1
    }
  }

  /// The lines, each ended by a line feed.
  public var text: String {
    var all = lines
    if missing > 0 { all.insert("(\(missing) lines are missing here)", at: min(1, all.count)) }
    return all.map { $0 + "\n" }.joined()
  }
}
