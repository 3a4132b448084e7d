import HTTP
import Support
import Testing

@Suite(.mayBlock) struct RangeHeaderTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let value: String
    let size: Int64
    let selection: RangeHeader.Selection
    var testDescription: String { "'\(value)' of \(size)" }

    init(_ value: String, _ size: Int64, _ selection: RangeHeader.Selection) {
      self.value = value
      self.size = size
      self.selection = selection
    }
  }

  /// The examples of RFC 9110, sections 14.1.2 and 14.2, and the edges of its grammar.
  static let cases: [Case] = [
    Case("bytes=0-499", 10000, .part(0..<500)),
    Case("bytes=500-999", 10000, .part(500..<1000)),
    Case("bytes=-500", 10000, .part(9500..<10000)),
    Case("bytes=9500-", 10000, .part(9500..<10000)),
    Case("bytes=0-0", 10000, .part(0..<1)),
    Case("bytes=-1", 10000, .part(9999..<10000)),
    Case("bytes=9999-20000", 10000, .part(9999..<10000)),
    Case("bytes=0-", 1, .part(0..<1)),
    Case("bytes=-20000", 10000, .part(0..<10000)),
    Case("BYTES=1-2", 10, .part(1..<3)),
    Case("bytes= 1-2 ", 10, .part(1..<3)),
    Case("bytes=10000-", 10000, .unsatisfiable),
    Case("bytes=10000-10001", 10000, .unsatisfiable),
    Case("bytes=-0", 10000, .unsatisfiable),
    Case("bytes=0-", 0, .unsatisfiable),
    Case("bytes=-5", 0, .unsatisfiable),
    Case("bytes=0-9223372036854775807", 10, .part(0..<10)),
    Case("bytes=99999999999999999999-", 10, .unsatisfiable),
    Case("bytes=0-99999999999999999999", 10, .part(0..<10)),
    Case("bytes=5-4", 10, .whole),
    Case("bytes=-", 10, .whole),
    Case("bytes=", 10, .whole),
    Case("bytes", 10, .whole),
    Case("bytes=a-b", 10, .whole),
    Case("bytes=1-2-3", 10, .whole),
    Case("bytes=+1-2", 10, .whole),
    Case("bytes=--1", 10, .whole),
    Case("bytes=0-1,4-5", 10, .whole),
    Case("seconds=1-2", 10, .whole),
    Case("", 10, .whole),
  ]

  @Test(arguments: cases)
  func `a value selects the range that RFC 9110 specifies`(_ example: Case) {
    #expect(RangeHeader.parse(example.value, size: example.size) == example.selection)
  }
}
