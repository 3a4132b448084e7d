import Timeline

/// A line of a log. A message that contains text from outside is made printable, its URLs lose their queries, and it has at
/// most ``longest`` bytes, so that nobody can fill the log's disk with a few long names.
public struct LogLine: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes of a line: 4 KiB.
  public static let longest = 4 << 10

  /// The line, without a line feed.
  public let description: String

  /// Makes a line of a message without line breaks. A line that is cut says so at its end, with the length that it had.
  public init(_ message: String) {
    let line = PrintableText(AssetURL.withoutQueries(message)).description
    guard line.utf8.count > Self.longest else {
      description = line
      return
    }
    // The note has some 40 bytes, however long the line was.
    description =
      line.shortened(toBytes: Self.longest - 64) + " (cut: the line has \(line.utf8.count) bytes)"
  }
}
