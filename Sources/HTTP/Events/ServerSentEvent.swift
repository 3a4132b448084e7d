/// One event of a `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
  /// The type; `nil` means the default, `message`.
  public var event: String?
  /// The payload, which may have several lines.
  public var data: String
  /// The id that a reconnecting client sends as `Last-Event-ID`.
  public var id: String?
  /// The time after which a client whose stream has ended asks again; `nil` to leave that to the client.
  public var retry: Duration?

  /// Creates an event.
  public init(event: String? = nil, data: String, id: String? = nil) {
    self.event = event
    self.data = data
    self.id = id
  }

  /// The wire format. Line ends in `event` and `id` are removed, because they would start another field.
  var encoded: [UInt8] {
    var text = ""
    if let event { text += "event: \(Self.singleLine(event))\n" }
    if let retry { text += "retry: \(Int(retry / .milliseconds(1)))\n" }
    if let id { text += "id: \(Self.singleLine(id))\n" }
    // Other line ends of Unicode, such as U+2028, are content.
    let isLineEnd = { (character: Character) in ["\n", "\r", "\r\n"].contains(character) }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd) {
      text += "data: \(line)\n"
    }
    return Array((text + "\n").utf8)
  }

  private static func singleLine(_ text: String) -> String {
    text.filter { !$0.isNewline }
  }

  /// A comment that keeps a connection alive and that clients ignore.
  ///
  /// libcurl averages over five seconds and rounds down: with fewer than five bytes, it would see no progress.
  static let heartbeat = Array(": heartbeat\n\n".utf8)
}
