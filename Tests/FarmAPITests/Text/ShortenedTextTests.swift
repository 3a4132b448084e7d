import FarmAPI
import Testing

/// Names and messages that are kept only up to a number of characters and of bytes.
struct ShortenedTextTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("abcde", "abcd"), ("äöüßé", "äöüß"),
    // Three characters of four bytes each do not fit, and none of them is cut.
    ("😀😀😀", "😀😀"), ("abc👩‍👩‍👧", "abc"),
    // A single character that does not fit is cut all the same.
    ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "e\u{301}\u{302}…"),
  ])
  func `a text has at most so many characters and bytes`(_ text: String, _ expected: String) {
    let short = text.shortened(toCharacters: 4, bytes: 9)
    #expect(Array(short.utf8) == Array(expected.utf8))
  }

  @Test func `a report of a failure becomes small enough for a coordinator`() {
    let report = FailureReport(
      code: String(repeating: "c", count: 500), message: String(repeating: "日", count: 50_000),
      isPermanent: true)
    let short = report.shortened
    #expect(short.code.utf8.count == 100)
    #expect(short.message.utf8.count <= FailureReport.longestMessage)
    #expect(short.message.count == FailureReport.longestMessage / 3)
    #expect(short.isPermanent)
    #expect(short.shortened == short)
  }
}
