import Foundation
import Timeline

/// The lines that a worker or the coordinator logs about an attempt, each with its time.
///
/// It has at most ``byteLimit`` bytes. If there are more, the first line and the newest ones are kept, and a note
/// states how many are missing between them.
public struct AttemptLog: Hashable, Sendable {
  /// The maximum length of its text in bytes of UTF-8: 16 KiB.
  public static let byteLimit = 16 << 10
  /// The space that is kept for the note about missing lines.
  private static let noteBytes = 64

  private var lines: [String] = []
  private var byteCount = 0
  private var missing = 0

  /// Creates an empty log.
  public init() {}

  /// Whether it has no line.
  public var isEmpty: Bool { lines.isEmpty }

  /// Adds a line.
  ///
  /// - Parameter source: the name of the program that logs it.
  public mutating func add(_ message: String, from source: String, at date: Date) {
    let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    append("\(time) \(source): \(LogLine(message))")
  }

  /// Adds the lines of a log that was received as text. Its characters are made printable.
  public mutating func add(linesOf text: String) {
    for line in text.shortened(toBytes: Self.byteLimit).split(separator: "\n") {
      append("\(LogLine(String(line)))")
    }
  }

  private mutating func append(_ line: String) {
    lines.append(line)
    byteCount += line.utf8.count + 1
    // One line has at most a quarter of the limit, so two always fit.
    while byteCount > Self.byteLimit - Self.noteBytes, lines.count > 2 {
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
