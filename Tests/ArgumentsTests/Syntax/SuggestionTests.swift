import Arguments
import Support
import Testing

@Suite(.mayBlock) struct SuggestionTests {
  private static let words = ["watch", "workers", "render", "retry", "transcode", "encoder-preset"]

  @Test(arguments: [
    ("wacth", "watch"), ("rendr", "render"), ("Render", "render"), ("workrs", "workers"),
    ("encoder-presets", "encoder-preset"), ("trans", "transcode"), ("retyr", "retry"),
  ])
  func `a mistyped word finds the one that was meant`(written: String, meant: String) {
    #expect(Suggestion.nearest(to: written, among: Self.words) == meant)
  }

  @Test(arguments: ["", "x", "sleep", "re", "w", "fetch-it", String(repeating: "r", count: 500)])
  func `a word that resembles no other finds none`(written: String) {
    #expect(Suggestion.nearest(to: written, among: Self.words) == nil)
  }
}
