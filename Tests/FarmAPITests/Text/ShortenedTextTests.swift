import FarmAPI
import Support
import Testing

/// Names and messages that are limited to a number of characters and of bytes.
@Suite(.mayBlock) struct ShortenedTextTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("abcde", "abcd"), ("äöüßé", "äöüß"),
    // Three characters of four bytes each do not fit, and none of them is cut.
    ("😀😀😀", "😀😀"), ("abc👩‍👩‍👧", "abc"),
    // A single character that does not fit is cut nevertheless.
    ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "e\u{301}\u{302}…"),
  ])
  func `text is cut to its limits on characters and bytes`(_ text: String, _ expected: String) {
    let short = text.shortened(toCharacters: 4, bytes: 9)
    #expect(Array(short.utf8) == Array(expected.utf8))
  }

  @Test func `a failure report is shortened to what a coordinator keeps`() {
    let report = FailureReport(
      code: FailureCode(rawValue: String(repeating: "c", count: 500)),
      message: String(repeating: "日", count: 50_000),
      isPermanent: true)
    let short = report.shortened
    #expect(short.code.rawValue.utf8.count == 100)
    #expect(short.message.utf8.count <= FailureReport.longestMessage)
    #expect(short.message.count == FailureReport.longestMessage / 3)
    #expect(short.isPermanent)
    #expect(short.shortened == short)
  }
}
