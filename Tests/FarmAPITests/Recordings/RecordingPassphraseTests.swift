import FarmAPI
import Support
import Testing

@Suite(.mayBlock) struct RecordingPassphraseTests {
  @Test(arguments: [10, 79]) func `a passphrase may have 10 to 79 bytes`(count: Int) {
    let text = String(repeating: "x", count: count)
    #expect(RecordingPassphrase(text)?.secret == text)
  }

  @Test(arguments: [
    "", "123456789", String(repeating: "x", count: 80), "two\nlines of text", "a NUL \u{0} in it",
    String(repeating: "é", count: 40),
  ]) func `other text is not a passphrase`(text: String) {
    #expect(RecordingPassphrase(text) == nil)
  }

  @Test func `a submission is printed without its passphrase`() throws {
    let submission = RecordingSubmission(
      name: "take", source: RecordingSource(.srt, host: "camera", port: 9000),
      passphrase: RecordingPassphrase("0123456789"))
    var dumped = ""
    dump(submission, to: &dumped)
    for text in ["\(submission)", String(reflecting: submission), dumped] {
      #expect(!text.contains("0123456789"))
    }
  }
}
