import Timeline

/// A line of a log. Its text, which may come from outside, is made printable, its URLs lose their queries, and it has
/// at most ``longest`` bytes, so that a few long names cannot fill the disk.
public struct LogLine: Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes of a line: 4 KiB.
  public static let longest = 4 << 10

  /// The line, without a line feed.
  public let description: String

  /// Creates a line from a message without line breaks. A line that is cut ends with a note of its full length.
  public init(_ message: String) {
    let line = PrintableText(AssetURL.withoutQueries(message)).description
    guard line.utf8.count > Self.longest else {
      description = line
      return
    }
    // The note has some 40 bytes, regardless of the line's length.
    description =
      line.shortened(toBytes: Self.longest - 64) + " (cut: the line has \(line.utf8.count) bytes)"
  }
}
