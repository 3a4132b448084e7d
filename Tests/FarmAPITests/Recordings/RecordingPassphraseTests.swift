import FarmAPI
import Support
import Testing

@Suite(.mayBlock) struct RecordingPassphraseTests {
  @Test(arguments: [2, 255]) func `a passphrase may have 2 to 255 bytes`(count: Int) {
    let text = String(repeating: "x", count: count)
    #expect(RecordingPassphrase(text)?.secret == text)
  }

  @Test(arguments: [
    "", "x", String(repeating: "x", count: 256), "two\nlines of text", "a NUL \u{0} in it",
    String(repeating: "é", count: 128),
  ]) func `other text is not a passphrase`(text: String) {
    #expect(RecordingPassphrase(text) == nil)
  }

  @Test(arguments: [
    (RecordingSource.Transport.srt, "0123456789", true), (.srt, "012345678", false),
    (.rtmpListen, String(repeating: "x", count: 79), true),
    (.srtListen, String(repeating: "x", count: 80), false),
    (.srt, String(repeating: "é", count: 40), false), (.rtsp, "ada:", true),
    (.rtsp, "a:b", true), (.rtsp, "ada:with:colons", true), (.rtsp, ":password", false),
    (.rtsp, "without a colon", false),
  ]) func `each transport has a rule for passphrases`(
    transport: RecordingSource.Transport, text: String, isValid: Bool
  ) throws {
    #expect(try #require(RecordingPassphrase(text)).suits(transport) == isValid)
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
