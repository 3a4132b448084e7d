/// Parses a `text/event-stream` incrementally, as specified in section 9.2.6 of the HTML standard.
package struct EventStreamParser {
  private var line: [UInt8] = []
  private var endedWithReturn = false
  private var event: String?
  private var data: [String] = []
  private var id: String?
  private let limit: Int

  /// A line longer than the limit.
  package struct LineTooLong: Error {
    let limit: Int
  }

  /// Creates a parser that rejects lines of more than `limit` bytes.
  package init(limit: Int = 4 << 20) {
    self.limit = limit
  }

  /// Appends `bytes` and returns the events that they complete.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LineTooLong)
    -> [ServerSentEvent]
  {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let followsReturn = endedWithReturn
      endedWithReturn = byte == UInt8(ascii: "\r")
      switch byte {
      case UInt8(ascii: "\n") where followsReturn:
        continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = finishLine() { events.append(event) }
      default:
        guard line.count < limit else { throw LineTooLong(limit: limit) }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func finishLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if line.isEmpty { return dispatch() }
    // Bytes, because a character can be a colon or a space together with combining marks.
    let parts = line.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts[0], as: UTF8.self) {
    case "event": event = text
    case "data": data.append(text)
    case "id" where !text.contains("\0"): id = text
    default: break  // a comment, or a field of another version
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      event = nil
      data.removeAll()
    }
    guard !data.isEmpty else { return nil }
    let name = event.flatMap { $0.isEmpty ? nil : $0 }
    return ServerSentEvent(event: name, data: data.joined(separator: "\n"), id: id)
  }
}
