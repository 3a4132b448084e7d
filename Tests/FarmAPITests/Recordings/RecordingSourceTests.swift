import FarmAPI
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct RecordingSourceTests {
  @Test(arguments: [
    "udp://239.1.2.3:5000", "udp://[ff15::1]:5000", "tcp://camera.local:9000",
    "tcp-listen://0.0.0.0:9000", "tcp-listen://[::]:65535", "srt://camera.local:9000",
    "srt-listen://[::]:9000", "upload", "https://live.example.com/a/b.m3u8",
    "http://[::1]:8080/live.m3u8", "rtsp://camera.local/live", "rtsp://camera.local:8554",
    "rtsp://10.0.0.1/cam?channel=1&subtype=0", "rtsp://[::1]:8554/a/b", "rtsp://camera.local",
    "rtsp://camera.local/a-5", "v4l2:///dev/video0", "alsa://hw:1,0", "alsa://hw:Loopback,1",
    "v4l2:///dev/v4l/by-id/usb-046d_C920-video-index0+alsa://hw:C920,0",
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
    "https://host/a.m3u8#b", "recording://abc", "rtsp://ada:secret@host/live", "rtsp://ada@host/",
    "rtsp://host/a b", "rtsp://host/\"", "rtsp://host/a#b", "rtsp://", "rtsp:///live",
    "rtsp://host:0/", "rtsp://host:x/", "rtsps://host/live", "rtsp://host/\r\nX: y",
    "rtsp://host/é", "rtsp://host/a@b", "rtsp://ada:se/cret@host/live",
    "v4l2://dev/video0", "v4l2:///dev/", "v4l2:///dev/../etc/passwd", "v4l2:///etc/passwd",
    "v4l2:///dev//video0", "v4l2:///dev/video0+", "v4l2:///dev/video0+v4l2:///dev/video1",
    "alsa://hw:1,0+v4l2:///dev/video0", "alsa://hw:1,0+alsa://hw:2,0", "alsa://hw:", "alsa://hw:,0",
    "alsa://hw:1,0,0", "alsa://hw:../1,0", "alsa://hw:1,300", "alsa://default", "devices://host:1",
  ]) func `other text is not a source`(text: String) {
    #expect(RecordingSource(text) == nil)
  }

  @Test func `the usual port of RTSP may be left out`() throws {
    let source = try #require(RecordingSource("rtsp://camera.local:554/live"))
    #expect(source == RecordingSource("rtsp://camera.local/live"))
    #expect(source.port == 554)
    #expect(source.path == "/live")
    #expect(source.description == "rtsp://camera.local/live")
    #expect(source.allowance == "rtsp://camera.local:554")
  }

  @Test func `the first device of a card may be left out`() throws {
    let source = try #require(RecordingSource("v4l2:///dev/video2+alsa://hw:1"))
    #expect(source.transport == .devices)
    #expect(source.devices == [.video(path: "/dev/video2"), .sound(card: "1", device: 0)])
    #expect(source.description == "v4l2:///dev/video2+alsa://hw:1,0")
  }

  @Test(arguments: [
    "rtsp://ada:secret@camera.local/live", "rtsp://ada:se/secret@camera.local/live",
    "rtsp://ada:?secret@camera.local", "RTSP://ada:#secret@camera.local",
    "rtsps://ada:/secret@camera.local", "tcp://ada:secret@camera.local:1",
  ]) func `a source with a password is rejected without repeating it`(address: String) throws {
    let text = Data("\"\(address)\"".utf8)
    let error = #expect(throws: (any Error).self) {
      try FarmCoding.decode(RecordingSource.self, from: text)
    }
    #expect(!"\(error as Any)".contains("secret"))
  }
}
