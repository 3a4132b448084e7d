import Support
import Testing
import Timeline

/// Valid and invalid URLs of assets.
@Suite(.mayBlock) struct AssetURLTests {
  @Test(arguments: [
    ("https://media.example.com/a.mp4", "https://media.example.com", "/a.mp4"),
    ("HTTPS://Media.Example.COM/A.mp4", "https://media.example.com", "/A.mp4"),
    (
      "http://host:8080/a%20b.mp4?sig=a/b+c==&x=1", "http://host:8080", "/a%20b.mp4?sig=a/b+c==&x=1"
    ),
    ("https://host:443/a", "https://host", "/a"),
    ("http://host:443/a", "http://host:443", "/a"),
    ("https://host", "https://host", "/"),
    ("https://host?a=1", "https://host", "/?a=1"),
    ("https://192.0.2.7/a", "https://192.0.2.7", "/a"),
    ("https://[2001:DB8:0::1]:8443/a", "https://[2001:db8::1]:8443", "/a"),
    ("http://xn--bcher-kva.example/a", "http://xn--bcher-kva.example", "/a"),
    ("http://1.2.3.example/a", "http://1.2.3.example", "/a"),
  ])
  func `equivalent URLs are normalized`(text: String, origin: String, target: String) throws {
    let url = try AssetURL(text)
    #expect(url.origin == origin)
    #expect(url.target == target)
    #expect(url.description == origin + target)
    #expect(try AssetURL(url.description) == url)
  }

  @Test(arguments: [
    "", "a.mp4", "file:///etc/passwd", "ftp://host/a", "//host/a", "https:/host/a", "https:host",
    "https:///a", "https://", "https://:80/a", "https://host:/a", "https://host:0/a",
    "https://host:65536/a", "https://host:+1/a", "https://host:٣/a", "https://user@host/a",
    "https://user:word@host/a", "https://host@evil/a", "https://host/a#b", "https://host/a b",
    "https://host/\u{7f}", "https://host/\r\nX: y", "https://höst/a", "https://ho_st/a",
    "https://host\\@evil/a", "https://host./a", "https://.host/a", "https://a..b/a",
    "https://-a/b", "https://a-/b", "https://127.1/a", "https://0x7f.1/a", "https://0x7f000001/a",
    "https://2130706433/a", "https://0177.0.0.1/a", "https://127.0.0.01/a", "https://1.2.3.4.5/a",
    "https://host.0x1/a", "https://256.1.1.1/a", "https://[::1/a", "https://::1/a",
    "https://[127.0.0.1]/a", "https://[::1%25eth0]/a", "https://[::1]x/a", "https://[]/a",
  ])
  func `a URL with an ambiguous host is rejected`(text: String) {
    #expect(throws: AssetURLError.self) { try AssetURL(text) }
  }

  @Test(arguments: [
    ("recording://7q2mk4", "7q2mk4", 0, "recording://7q2mk4"),
    ("recording://0x12/1", "0x12", 0, "recording://0x12"),
    ("recording://123/3", "123", 2, "recording://123/3"),
  ])
  func `a recording is named by its id and the number of its file`(
    text: String, id: String, file: Int, description: String
  ) throws {
    let url = try AssetURL(text)
    #expect(url.recording?.id == id)
    #expect(url.recording?.file == file)
    #expect(url.description == description)
    #expect(try AssetURL(description) == url)
    #expect(try AssetURL("https://host/2").recording == nil)
    #expect(!url.follows)
  }

  @Test func `a recording can be followed`() throws {
    let url = try AssetURL("recording://7q2mk4?follow")
    #expect(url.follows)
    #expect(url.description == "recording://7q2mk4?follow")
    #expect(url.recording?.id == "7q2mk4")
    #expect(url.recording?.file == 0)
  }

  @Test(arguments: [
    "recording://", "recording://Q", "recording://a/", "recording://a/0", "recording://a/-1",
    "recording://?follow", "recording://a/2?follow", "recording://a?follow=1",
    "recording://a?Follow",
    "recording://a/01", "recording://a/b", "recording://a/1/2", "recording://a?b", "recording:a",
    "recording://" + String(repeating: "a", count: 65),
  ])
  func `a name that is not that of a recording is rejected`(text: String) {
    #expect(throws: AssetURLError.self) { try AssetURL(text) }
  }

  @Test func `the length of a URL is limited`() throws {
    let start = "https://host/"
    let longest = start + String(repeating: "a", count: AssetURL.byteLimit - start.utf8.count)
    #expect(try AssetURL(longest).description == longest)
    let error = #expect(throws: AssetURLError.self) { try AssetURL(longest + "a") }
    #expect(error?.problem == "the URL has 8001 bytes, more than the limit of 8000")
  }

  @Test func `messages contain no queries of URLs`() throws {
    let url = try AssetURL("https://host/a.mp4?X-Signature=secret")
    #expect(url.shown == "https://host/a.mp4?…")
    #expect(
      AssetURL.withoutQueries("\(url.shown): no, \(url).") == "\(url.shown): no, \(url.shown).")
    #expect(
      AssetURL.withoutQueries("ftp://host/a?b ://?c http:?d") == "ftp://host/a?b ://?c http:?d")
    #expect(
      AssetURL.withoutQueries("(https://ü?é)\nis http://a?, http://b?c:;")
        == "(https://ü?…\nis http://a?, http://b?…:;")
    let hostile = String(repeating: "https://", count: 100_000)
    #expect(AssetURL.withoutQueries(hostile + "?a" + hostile) == hostile + "?…")
    #expect(
      AssetURL.withoutQueries("\"\(url)\": 403, \"HTTP://h/?key=1\" and what? http://h/b: gone")
        == "\"https://host/a.mp4?…\": 403, \"HTTP://h/?…\" and what? http://h/b: gone")
  }
}
