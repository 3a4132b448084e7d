import Testing
import Timeline

struct JSONReadingTests {
  @Test(arguments: [
    ("", "line 1, column 1", "the document ends where a value should be"),
    ("{\"version\": 1,\n \"sequence\": [}", "line 2, column 15", "there is no JSON value here"),
    ("{\"a\": 1,}", "line 1, column 9", "a key in double quotes belongs here"),
    ("{a: 1}", "line 1, column 2", "a key in double quotes belongs here"),
    ("[1 2]", "line 1, column 4", "a list goes on with a comma or ends with ]"),
    ("{\"a\" 1}", "line 1, column 6", "a colon belongs after the key \"a\""),
    ("{\"é\": 1 \"b\": 2}", "line 1, column 9", "an object goes on with a comma or ends with }"),
    (
      "{\"\(String(repeating: "é", count: 2049))\": 1}", "line 1, column 2",
      "a key has 4098 bytes, more than the limit of 4096"
    ),
    ("{\"a\": 1, \"a\": 2}", "line 1, column 10", "the key \"a\" is there twice"),
    ("{} {}", "line 1, column 4", "something follows the end of the document"),
    ("[01]", "line 1, column 2", "a number begins with a zero"),
    ("[-]", "line 1, column 3", "a digit belongs here"),
    ("[1.]", "line 1, column 4", "a digit belongs here"),
    ("[\"a]", "line 1, column 2", "a string has no end"),
    ("[\"\n\"]", "line 1, column 3", "a control character stands in a string"),
    ("[\"\\x\"]", "line 1, column 3", "the escape stands for no character"),
    ("[\"\\ud800\"]", "line 1, column 3", "the escape stands for no character"),
    ("[\"\\u12G4\"]", "line 1, column 5", "four hexadecimal digits belong here"),
    (
      String(repeating: "[", count: 100_000), "line 1, column 65",
      "lists and objects nest deeper than 64"
    ),
  ])
  func `malformed JSON is refused with its place`(text: String, path: String, problem: String) {
    let error = #expect(throws: ProjectError.self) { try ProjectText.parse(text) }
    #expect(error?.code == .malformed)
    #expect(error?.findings.map(\.path) == [path])
    #expect(error?.findings.map(\.problem) == [problem])
  }

  @Test(arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xC3]] as [[UInt8]])
  func `invalid UTF-8 is refused with its place`(bytes: [UInt8]) {
    let error = #expect(throws: ProjectError.self) {
      try ProjectDocument.parse(Array("{\n\"".utf8) + bytes + Array("\": 1}".utf8))
    }
    #expect(error?.code == .malformed)
    #expect(error?.findings.map(\.path) == ["line 2, column 2"])
    #expect(error?.findings.map(\.problem) == ["the bytes are not UTF-8"])
  }

  @Test func `a file over the limit is refused unread`() {
    let error = #expect(throws: ProjectError.self) {
      try ProjectDocument.parse([UInt8](repeating: 0x20, count: 100_000_000))
    }
    #expect(error?.code == .tooLarge)
    #expect(
      error?.lines == [
        "project: the file has 100000000 bytes, and the limit is 67108864; split the project"
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
  func `JSON that is no project is refused`(text: String) {
    let error = #expect(throws: ProjectError.self) { try ProjectText.parse(text) }
    #expect(error?.code == .invalid)
    #expect(error?.findings.map(\.path) == ["project"])
  }
}
