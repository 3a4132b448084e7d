/// One event of a `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
  /// The type; `nil` is the stream's default, `message`.
  public var event: String?
  /// The payload; it may have several lines.
  public var data: String
  /// The id that a reconnecting client sends as `Last-Event-ID`.
  public var id: String?

  /// An event.
  public init(event: String? = nil, data: String, id: String? = nil) {
    self.event = event
    self.data = data
    self.id = id
  }

  /// The wire form. Line ends within `event` and `id` would begin another field and are left out.
  var encoded: [UInt8] {
    var text = ""
    if let event { text += "event: \(Self.singleLine(event))\n" }
    if let id { text += "id: \(Self.singleLine(id))\n" }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      text += "data: \(line)\n"
    }
    return Array((text + "\n").utf8)
  }

  private static func singleLine(_ text: String) -> String {
    text.filter { !$0.isNewline }
  }

  /// A line that keeps a connection alive and that clients pass over.
  static let heartbeat = Array(": \n\n".utf8)
}
