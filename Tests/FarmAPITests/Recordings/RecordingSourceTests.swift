import FarmAPI
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct RecordingSourceTests {
  @Test(arguments: [
    "udp://239.1.2.3:5000", "udp://[ff15::1]:5000", "tcp://camera.local:9000",
    "tcp-listen://0.0.0.0:9000", "tcp-listen://[::]:65535", "srt://camera.local:9000",
    "srt-listen://[::]:9000", "upload", "https://live.example.com/a/b.m3u8",
    "http://[::1]:8080/live.m3u8",
  ]) func `a source is printed as it was written`(text: String) throws {
    let source = try #require(RecordingSource(text))
    #expect(source.description == text)
    #expect(text.range(of: RecordingSource.pattern, options: .regularExpression) != nil)
    #expect(try FarmCoding.decode(RecordingSource.self, from: FarmCoding.encode(source)) == source)
  }

  @Test(arguments: [
    "", "udp://", "udp://host", "udp://host:0", "udp://host:65536", "udp://:5000", "http://host:1",
    "udp://a b:5000", "udp://::1:5000", "file:///etc/passwd", "udp://host:5000/x", "UDP://host:1",
    "tcp://ho\u{0}st:1", "srt://host:1?passphrase=0123456789",
    "upload://host:1", "-", "https://host/", "https://host/a.m3u8?key=x",
    "https://user@host/a.m3u8",
    "https://host/a.m3u8#b", "recording://abc",
  ]) func `other text is not a source`(text: String) {
    #expect(RecordingSource(text) == nil)
  }
}
