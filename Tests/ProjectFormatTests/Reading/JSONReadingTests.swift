import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct JSONReadingTests {
  @Test(arguments: [
    ("", "line 1, column 1", "unexpected end of file, expected a value"),
    ("{\"version\": 1,\n \"sequence\": [}", "line 2, column 15", "expected a JSON value"),
    ("{\"a\": 1,}", "line 1, column 9", "expected a key in double quotes"),
    ("{a: 1}", "line 1, column 2", "expected a key in double quotes"),
    ("[1 2]", "line 1, column 4", "expected a comma or ] in a list"),
    ("{\"a\" 1}", "line 1, column 6", "expected a colon after the key \"a\""),
    ("{\"é\": 1 \"b\": 2}", "line 1, column 9", "expected a comma or } in an object"),
    (
      "{\"\(String(repeating: "é", count: 2049))\": 1}", "line 1, column 2",
      "a key has 4098 bytes, more than the limit of 4096"
    ),
    ("{\"a\": 1, \"a\": 2}", "line 1, column 10", "duplicate key \"a\""),
    ("{} {}", "line 1, column 4", "unexpected text after the end of the document"),
    ("[01]", "line 1, column 2", "a number has a leading zero"),
    ("[-]", "line 1, column 3", "expected a digit"),
    ("[1.]", "line 1, column 4", "expected a digit"),
    ("[\"a]", "line 1, column 2", "a string is not terminated"),
    ("[\"\n\"]", "line 1, column 3", "a string contains an unescaped control character"),
    ("[\"\\x\"]", "line 1, column 3", "invalid escape sequence"),
    ("[\"\\ud800\"]", "line 1, column 3", "invalid escape sequence"),
    ("[\"\\u12G4\"]", "line 1, column 5", "expected four hexadecimal digits"),
    (
      String(repeating: "[", count: 100_000), "line 1, column 81",
      "lists and objects are nested more than 80 levels deep"
    ),
  ])
  func `malformed JSON is rejected with its position`(text: String, path: String, problem: String) {
    let error = #expect(throws: ProjectError.self) { try ProjectText.parse(text) }
    #expect(error?.code == .malformed)
    #expect(error?.findings.map(\.path.description) == [path])
    #expect(error?.findings.map(\.problem) == [problem])
  }

  @Test(arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xC3]] as [[UInt8]])
  func `invalid UTF-8 is rejected with its position`(bytes: [UInt8]) {
    let error = #expect(throws: ProjectError.self) {
      try ProjectDocument.parse(Array("{\n\"".utf8) + bytes + Array("\": 1}".utf8))
    }
    #expect(error?.code == .malformed)
    #expect(error?.findings.map(\.path.description) == ["line 2, column 2"])
    #expect(error?.findings.map(\.problem) == ["the text is not valid UTF-8"])
  }

  @Test func `a project file over the size limit is rejected without reading it`() {
    let error = #expect(throws: ProjectError.self) {
      try ProjectDocument.parse([UInt8](repeating: 0x20, count: 100_000_000))
    }
    #expect(error?.code == .tooLarge)
    #expect(
      error?.lines == [
        "project: the file has 100000000 bytes, more than the limit of 67108864; split the project"
      ])
  }

  @Test func `escapes and characters beyond ASCII are read`() throws {
    let text = #"{"version": 1, "sequence": [{"clip": "\u00e9\ud83c\udf3e\/\\\"ü\t"}]}"#
    #expect(Array(try ProjectText.parse(text).assets.keys) == ["é🌾/\\\"ü\t"])
  }

  @Test func `a byte order mark is skipped`() throws {
    let text = "\u{FEFF}" + ProjectText.composition()
    #expect(try ProjectText.parse(text) == ProjectText.parse(ProjectText.composition()))
  }

  @Test(arguments: ["[]", "1", "null", "\"a\"", "{}", "{\"version\": 1}"])
  func `JSON that is not a project is rejected`(text: String) {
    let error = #expect(throws: ProjectError.self) { try ProjectText.parse(text) }
    #expect(error?.code == .invalid)
    #expect(error?.findings.map(\.path) == ["project"])
  }
}
