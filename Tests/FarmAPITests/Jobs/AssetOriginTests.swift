import FarmAPI
import Support
import Testing
import Timeline

/// The origins from which an operator allows assets to be fetched.
@Suite(.mayBlock) struct AssetOriginTests {
  @Test(arguments: [
    ("https://media.example.com", "https://media.example.com/a.mp4", true),
    ("https://Media.example.com/", "https://MEDIA.example.com:443/a.mp4?b", true),
    ("https://media.example.com", "http://media.example.com/a.mp4", false),
    ("https://media.example.com", "https://media.example.com:8443/a.mp4", false),
    ("https://media.example.com", "https://a.media.example.com/a.mp4", false),
    ("https://media.example.com", "https://media.example.com.evil.example/a.mp4", false),
    ("https://media.example.com", "https://evil.example/https://media.example.com", false),
    ("http://media.example.com:8080", "http://media.example.com:8080/", true),
    ("http://media.example.com:8080", "http://media.example.com/", false),
    ("http://media.example.com:443", "https://media.example.com/", false),
    ("https://*.example.com", "https://a.example.com/", true),
    ("https://*.example.com", "https://a.b.example.com/", true),
    ("https://*.example.com", "https://example.com/", false),
    ("https://*.example.com", "https://badexample.com/", false),
    ("http://127.0.0.1:8000", "http://127.0.0.1:8000/a", true),
    ("http://[::1]", "http://[0:0:0:0:0:0:0:1]/a", true),
  ])
  func `an origin contains the URLs with its scheme, host and port`(
    origin: String, url: String, isContained: Bool
  ) throws {
    #expect(try #require(AssetOrigin(origin)).contains(AssetURL(url)) == isContained)
  }

  @Test(arguments: [
    "", "media.example.com", "*", "https://*", "https://", "ftp://host", "https://host/a",
    "https://host?a", "https://host/?a", "https://user@host", "https://*.1.2.3.4",
    "https://*.*.com",
    "https://a.*.com", "https://*.[::1]", "file:///", "https://host#a",
  ])
  func `text that is not exactly an origin is rejected`(text: String) {
    #expect(AssetOrigin(text) == nil)
  }

  @Test func `an origin has one canonical form`() {
    #expect(AssetOrigin("HTTPS://*.Example.com:443/")?.description == "https://*.example.com")
  }
}
