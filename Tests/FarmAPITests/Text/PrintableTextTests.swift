import FarmAPI
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct PrintableTextTests {
  @Test(arguments: ForeignText.table)
  func `invisible characters are escaped, and the rest stays`(_ text: String, _ shown: String) {
    #expect(PrintableText(text).description == shown)
  }

  @Test func `every control and every character that reorders text is escaped`() {
    let controls = Array(0x00...0x1f) + Array(0x7f...0x9f)
    let bidirectional = [0x061c, 0x200e, 0x200f] + Array(0x202a...0x202e) + Array(0x2066...0x2069)
    for value in controls + bidirectional {
      let scalar = Unicode.Scalar(UInt32(value)).map(String.init) ?? ""
      let shown = PrintableText("a\(scalar)b").description
      #expect(!shown.unicodeScalars.contains { $0.value == UInt32(value) }, "U+\(value)")
    }
  }

  @Test func `escaped JSON is the same document`() throws {
    let name = "a\u{1b}[0m\u{9b}\u{202e}\u{e0041}\u{2028}é\\"
    let text = "[\n" + String(decoding: try JSONEncoder().encode(name), as: UTF8.self) + "\n]"
    let escaped = PrintableText.json(text)
    #expect(try JSONDecoder().decode([String].self, from: Data(escaped.utf8)) == [name])
    #expect(escaped.contains(#"\u202E\uDB40\uDC41\u2028é"#))
    #expect(escaped.contains("\n]"))
  }

  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("👩‍👩‍👧", 2), ("✈️", 2), ("ａ", 2),
    ("\u{1b}", 6),
  ])
  func `columns are counted as a terminal displays them`(_ text: String, _ columns: Int) {
    #expect(PrintableText(text).columns == columns)
    #expect(PrintableText(text).padded(toColumns: 8).hasSuffix(" ") == (columns < 8))
  }

  @Test func `text is cut between characters, at a column`() {
    #expect(PrintableText("日本語").prefix(columns: 5) == "日本")
    #expect(PrintableText("abc").prefix(columns: 5) == "abc")
  }
}
