import FarmAPI
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct AllowedRecordingSourcesTests {
  private func isAllowed(_ source: String, by rules: [String]) throws -> Bool {
    var sources = AllowedRecordingSources()
    sources.rules = try rules.map { try #require(AllowedRecordingSources.Rule($0)) }
    return sources.refusal(of: try #require(RecordingSource(source))) == nil
  }

  @Test func `nothing is allowed by default, and the message names the option`() throws {
    let source = try #require(RecordingSource("udp://239.1.2.3:5000"))
    #expect(
      AllowedRecordingSources().refusal(of: source)
        == "recording from udp://239.1.2.3:5000 is not allowed: ask the operator to start "
        + "sheaf-coordinator serve with --recording-source udp://239.1.2.3:5000")
  }

  @Test func `a rule allows its transport, host and ports`() throws {
    let rules = ["udp://0.0.0.0:5000-5009", "tcp://Camera.local:9000"]
    #expect(try isAllowed("udp://0.0.0.0:5000", by: rules))
    #expect(try isAllowed("udp://0.0.0.0:5009", by: rules))
    #expect(try isAllowed("tcp://camera.LOCAL:9000", by: rules))
    #expect(try !isAllowed("udp://0.0.0.0:5010", by: rules))
    #expect(try !isAllowed("udp://0.0.0.0:4999", by: rules))
    #expect(try !isAllowed("udp://127.0.0.1:5000", by: rules))
    #expect(try !isAllowed("tcp-listen://camera.local:9000", by: rules))
  }

  @Test func `an origin allows its playlists, and nothing else`() throws {
    let rules = ["https://live.example.com", "http://*.example.org:8080"]
    #expect(try isAllowed("https://live.example.com/a/b.m3u8", by: rules))
    #expect(try isAllowed("http://one.example.org:8080/a.m3u8", by: rules))
    #expect(try !isAllowed("http://live.example.com/a.m3u8", by: rules))
    #expect(try !isAllowed("https://live.example.com:444/a.m3u8", by: rules))
    #expect(try !isAllowed("https://example.com/a.m3u8", by: rules))
    #expect(try !isAllowed("tcp://live.example.com:443", by: rules))
    let source = try #require(RecordingSource("https://other.example.com/a.m3u8"))
    #expect(
      AllowedRecordingSources().refusal(of: source)?
        .hasSuffix("serve with --recording-source https://other.example.com") == true)
  }

  @Test func `a rule for an RTSP server allows all of its streams`() throws {
    let rules = ["rtsp://camera.local:554", "rtsp://[::1]:8554-8560"]
    #expect(try isAllowed("rtsp://Camera.local/live", by: rules))
    #expect(try isAllowed("rtsp://camera.local:554/cam?channel=1", by: rules))
    #expect(try isAllowed("rtsp://[::1]:8555/live", by: rules))
    #expect(try !isAllowed("rtsp://camera.local:8554/live", by: rules))
    #expect(try !isAllowed("rtsp://other.local/live", by: rules))
    #expect(try !isAllowed("tcp://camera.local:554", by: rules))
    let source = try #require(RecordingSource("rtsp://other.local/live"))
    #expect(
      AllowedRecordingSources().refusal(of: source)?
        .hasSuffix("serve with --recording-source rtsp://other.local:554") == true)
  }

  @Test func `each device needs a rule, and the message names those that are missing`() throws {
    let rules = ["v4l2:///dev/video0", "alsa://hw:1"]
    #expect(try isAllowed("v4l2:///dev/video0+alsa://hw:1,0", by: rules))
    #expect(try isAllowed("alsa://hw:1,0", by: rules))
    #expect(try !isAllowed("v4l2:///dev/video1", by: rules))
    #expect(try !isAllowed("v4l2:///dev/video0+alsa://hw:1,1", by: rules))
    var sources = AllowedRecordingSources()
    let source = try #require(RecordingSource("v4l2:///dev/video0+alsa://hw:1,0"))
    #expect(
      sources.refusal(of: source)?.hasSuffix(
        "serve with --recording-source v4l2:///dev/video0 --recording-source alsa://hw:1,0")
        == true)
    sources.rules = [.device(.video(path: "/dev/video0"))]
    #expect(
      sources.refusal(of: source)?.hasSuffix("serve with --recording-source alsa://hw:1,0")
        == true)
  }

  @Test(arguments: [
    "v4l2:///dev/video0+alsa://hw:1,0", "v4l2:///etc/passwd", "upload",
    "rtsp://camera.local/live", "rtsp://camera.local/live-9000", "rtsp://ada:secret@camera.local",
    "udp://0.0.0.0", "udp://0.0.0.0:9-5", "udp://0.0.0.0:5-", "x", "ftp://a:1",
  ])
  func `an invalid rule is rejected`(text: String) {
    #expect(AllowedRecordingSources.Rule(text) == nil)
  }
}
