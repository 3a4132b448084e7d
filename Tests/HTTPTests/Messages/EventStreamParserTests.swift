import HTTP
import Support
import Testing

@Suite(.mayBlock) struct EventStreamParserTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let text: String
    let events: [ServerSentEvent]
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ events: ServerSentEvent...) {
      self.text = text
      self.events = events
    }
  }

  /// The examples of the HTML standard, section 9.2.6, and the edges of its grammar.
  static let cases: [Case] = [
    Case("data: a\n\n", ServerSentEvent(data: "a")),
    Case("data: YHOO\ndata: +2\ndata: 10\n\n", ServerSentEvent(data: "YHOO\n+2\n10")),
    Case(
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event", id: ""),
      ServerSentEvent(data: " third event", id: "")),
    Case(
      "data\n\ndata\ndata\n\ndata:", ServerSentEvent(data: ""), ServerSentEvent(data: "\n")),
    Case(
      "data:test\n\ndata: test\n\n", ServerSentEvent(data: "test"), ServerSentEvent(data: "test")),
    Case("event: add\ndata: 1\n\n", ServerSentEvent(event: "add", data: "1")),
    Case("event: add\n\ndata: 1\n\n", ServerSentEvent(data: "1")),
    Case("data: a\r\rdata: b\r\n\r\n", ServerSentEvent(data: "a"), ServerSentEvent(data: "b")),
    Case("retry: 5\nunknown: x\ndata: a:b\n\n", ServerSentEvent(data: "a:b")),
    Case("data: unfinished\n"),
    Case("\n\n\n"),
  ]

  private func parse(_ bytes: [UInt8], by size: Int) throws -> [ServerSentEvent] {
    var parser = EventStreamParser()
    var events: [ServerSentEvent] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      try bytes[start..<min(bytes.count, start + size)].withUnsafeBytes {
        events += try parser.append($0)
      }
    }
    return events
  }

  @Test(arguments: cases)
  func `a stream is parsed as the standard specifies, however it is split`(_ example: Case) throws {
    for size in [1, 3, 1000] {
      #expect(try parse(Array(example.text.utf8), by: size) == example.events)
    }
  }

  @Test func `a line over the limit is an error`() throws {
    var parser = EventStreamParser(limit: 10)
    #expect(throws: EventStreamParser.LineTooLong.self) {
      try Array("data: 12345".utf8).withUnsafeBytes { _ = try parser.append($0) }
    }
  }
}
