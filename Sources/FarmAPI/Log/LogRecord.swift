import Foundation
import Timeline

/// An event of a log, to be written as one line.
///
/// Texts may come from outside: line breaks become ` | `, invisible characters are escaped, URLs lose their queries, and
/// a line has at most ``longest`` bytes, so that a few long names cannot fill the disk.
public struct LogRecord: Hashable, Sendable {
  /// The maximum number of bytes of a line: 4 KiB.
  public static let longest = 4 << 10

  private let time: Date
  private let level: String
  private let message: String
  private let fields: LogFields

  /// Creates a record.
  public init(time: Date, level: String, message: String, fields: LogFields) {
    self.time = time
    self.level = level
    self.message = Self.safe(message)
    self.fields = fields
  }

  /// The line, without a line feed.
  public func line(as format: Log.Format) -> String {
    let head = [
      ("time", time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
      ("level", level),
    ]
    let values = [("msg", message)] + fields.fields.map { ($0.name, Self.safe($0.value)) }
    var limit = Self.longest
    while true {
      let line = Self.encode(head + values.map { ($0, Self.cut($1, to: limit)) }, as: format)
      // Escaping lengthens values, by a factor that is bounded.
      if line.utf8.count <= Self.longest || limit <= 16 { return line }
      limit /= 2
    }
  }

  /// A value that is cut ends with a note of its full length.
  private static func cut(_ value: String, to limit: Int) -> String {
    let length = value.utf8.count
    guard length > limit else { return value }
    return value.shortened(toBytes: limit) + " (cut: \(length) bytes)"
  }

  /// A text on one line, without invisible characters and without the queries of its URLs.
  static func safe(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " | ")
    return PrintableText(AssetURL.withoutQueries(line)).description
  }

  private static func encode(_ pairs: [(String, String)], as format: Log.Format) -> String {
    switch format {
    case .logfmt: pairs.map { "\($0)=\(logfmt($1))" }.joined(separator: " ")
    case .json: "{" + pairs.map { "\"\($0)\":\(json($0, $1))" }.joined(separator: ",") + "}"
    }
  }

  /// A value as other programs read it: as it is if it is one word, or else in quotes, with `\` before quotes and `\`.
  private static func logfmt(_ value: String) -> String {
    let needsQuotes =
      value.isEmpty || value.utf8.contains { $0 == 0x20 || $0 == 0x22 || $0 == 0x3d }
    return needsQuotes ? "\"\(escaped(value))\"" : value
  }

  /// The fields whose values are numbers in JSON.
  private static let numbers: Set = [
    "segment", "attempt", "slot", "frames", "bytes", "status", "ms", "segments", "failures",
  ]

  private static func json(_ name: String, _ value: String) -> String {
    if numbers.contains(name), let number = Double(value), number.isFinite, number >= 0,
      value.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }),
      value == "0" || !value.hasPrefix("0") || value.hasPrefix("0."), !value.hasSuffix(".")
    {
      return value
    }
    return "\"\(escaped(value))\""
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
