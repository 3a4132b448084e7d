import Foundation
import RTSP
import Support
import Testing

@Suite(.mayBlock) struct PlayingSessionTests {
  private static let url = "rtsp://camera.local/live"
  private static let description = """
    v=0\r
    o=- 0 0 IN IP4 127.0.0.1\r
    s=x\r
    t=0 0\r
    a=control:*\r
    m=video 0 RTP/AVP 96\r
    a=rtpmap:96 H264/90000\r
    a=fmtp:96 packetization-mode=1\r
    a=control:track1\r
    m=application 0 RTP/AVP 107\r
    a=rtpmap:107 vnd.onvif.metadata/90000\r
    a=control:track3\r
    m=audio 0 RTP/AVP 0\r
    a=control:rtsp://10.0.0.1/live/track2\r

    """

  /// A request that a session sent.
  private struct Request {
    let method: String
    let url: String
    let headers: [String: String]
  }

  /// Reads the requests of a session.
  private func requests(_ session: inout PlayingSession) -> [Request] {
    String(decoding: session.takeRequests(), as: UTF8.self).components(separatedBy: "\r\n\r\n")
      .filter { !$0.isEmpty }.map { text in
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        let headers = lines.dropFirst().map { line in
          (
            String(line.prefix { $0 != ":" }),
            line.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
          )
        }
        return Request(
          method: words[0], url: words[1],
          headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }))
      }
  }

  private func session(_ credentials: String? = nil) -> PlayingSession {
    PlayingSession(
      url: Self.url, credentials: credentials.flatMap { RTSPCredentials($0) },
      clientNonce: "0a4f113b")
  }

  private func answer(
    _ sequence: Int, _ status: String = "200 OK", _ headers: [String] = [], body: String = ""
  ) -> [UInt8] {
    let lines =
      ["RTSP/1.0 \(status)", "CSeq: \(sequence)"] + headers + ["Content-Length: \(body.utf8.count)"]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }

  /// The answers of a server to a whole session.
  private func answers(
    base: [String] = ["Content-Base: rtsp://camera.local/live/"]
  ) -> [[UInt8]] {
    [
      answer(1, "200 OK", ["Public: OPTIONS, GET_PARAMETER, PLAY"]),
      answer(2, "200 OK", base, body: Self.description),
      answer(
        3, "200 OK",
        ["Session: 12;timeout=20", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=1"]),
      answer(4, "200 OK", ["Session: 12", "Transport: RTP/AVP/TCP;unicast;interleaved=4-5"]),
      [0x24, 4, 0, 1, 99],
      answer(
        5, "200 OK",
        ["RTP-Info: url=rtsp://camera.local/live/track1;seq=1;rtptime=17,url=track9;rtptime=18"]),
      [0x24, 1, 0, 2, 7, 8], [0x24, 9, 0, 1, 0],
    ]
  }

  @Test func `a server is asked for its description and its streams`() throws {
    var session = session()
    var sent = requests(&session)
    for answer in answers() {
      try session.receive(answer)
      sent += requests(&session)
    }
    #expect(sent.map(\.method) == ["OPTIONS", "DESCRIBE", "SETUP", "SETUP", "PLAY"])
    #expect(
      sent.map(\.url) == [
        Self.url, Self.url, "\(Self.url)/track1", "rtsp://10.0.0.1/live/track2", "\(Self.url)/",
      ])
    #expect(sent.map { $0.headers["CSeq"] } == ["1", "2", "3", "4", "5"])
    #expect(sent[2].headers["Transport"] == "RTP/AVP/TCP;unicast;interleaved=0-1")
    #expect(sent[3].headers["Transport"] == "RTP/AVP/TCP;unicast;interleaved=2-3")
    #expect(sent.map { $0.headers["Session"] } == [nil, nil, nil, "12", "12"])
    #expect(session.isPlaying)
    #expect(session.media.map(\.encoding) == ["H264", "PCMU"])
    #expect(session.startTimestamps == [0: 17, 1: 18])
    // Channels are those of the server's answers.
    let packets = session.takePackets()
    #expect(packets.map(\.media) == [1, 0])
    #expect(packets.map(\.isControl) == [false, true])
    #expect(packets.map(\.bytes) == [[99], [7, 8]])
  }

  @Test func `the outcome does not depend on where bytes are split`() throws {
    let count = answers().joined().count
    for split in stride(from: 1, to: count, by: 1) {
      var session = session()
      let bytes = answers().flatMap { $0 }
      try session.receive(bytes[..<split])
      try session.receive(bytes[split...])
      #expect(session.isPlaying, "split at \(split)")
      #expect(session.takePackets().count == 2, "split at \(split)")
    }
  }

  @Test(arguments: [
    ("Content-Base: rtsp://camera.local/other", "rtsp://camera.local/other/track1"),
    ("Content-Location: rtsp://camera.local/other/", "rtsp://camera.local/other/track1"),
    ("X: y", "rtsp://camera.local/live/track1"),
    ("Content-Base: rtsp://a b", "rtsp://camera.local/live/track1"),
    (
      "Content-Base: rtsp://camera.local/cam?channel=1&subtype=0/",
      "rtsp://camera.local/cam?channel=1&subtype=0/track1"
    ),
  ]) func `relative addresses refer to the address of the description`(
    header: String, url: String
  ) throws {
    var session = session()
    for answer in answers(base: [header]).prefix(2) { try session.receive(answer) }
    #expect(requests(&session).last?.url == url)
  }

  @Test func `requests keep the session alive before half of its timeout`() throws {
    var session = session()
    for answer in answers() { try session.receive(answer) }
    _ = session.takeRequests()
    session.keepAlive(at: .seconds(100))
    session.keepAlive(at: .milliseconds(107_999))
    #expect(session.takeRequests().isEmpty)
    session.keepAlive(at: .seconds(108))
    let sent = requests(&session)
    #expect(sent.map(\.method) == ["GET_PARAMETER"])
    #expect(sent.first?.headers["Session"] == "12")
    try session.receive(answer(6, "501 Not Implemented"))
    session.keepAlive(at: .seconds(116))
    #expect(requests(&session).map(\.method) == ["OPTIONS"])
    session.end()
    #expect(requests(&session).map(\.method) == ["TEARDOWN"])
  }

  @Test func `a request without an answer is followed by another that keeps the session alive`()
    throws
  {
    var session = session()
    for answer in answers() { try session.receive(answer) }
    _ = session.takeRequests()
    for time in stride(from: 0, through: 24, by: 8) { session.keepAlive(at: .seconds(time)) }
    #expect(requests(&session).map { $0.headers["CSeq"] } == ["6", "7", "8"])
    // The answer to the first one is late.
    try session.receive(answer(6, "501 Not Implemented"))
    try session.receive(answer(8))
    session.keepAlive(at: .seconds(32))
    #expect(requests(&session).map(\.method) == ["GET_PARAMETER"])
  }

  @Test(arguments: [
    "302 Found", "401 Unauthorized", "403 Forbidden", "454 Session Not Found",
    "500 Internal Server Error",
  ]) func `a rejected request that keeps the session alive does not end it`(status: String) throws {
    var session = session()
    for answer in answers() { try session.receive(answer) }
    _ = session.takeRequests()
    for (number, method) in [(6, "GET_PARAMETER"), (7, "OPTIONS"), (8, "OPTIONS")] {
      session.keepAlive(at: .seconds(8 * number - 8))
      session.keepAlive(at: .seconds(8 * number))
      #expect(requests(&session).map(\.method) == [method])
      try session.receive(answer(number, status))
      #expect(session.isPlaying)
      #expect(requests(&session).isEmpty)
    }
  }

  @Test func `a new nonce is used after the first one was accepted, even if it is not stale`()
    throws
  {
    var session = session("ada:secret")
    let challenge = { (nonce: Int) in "WWW-Authenticate: Digest realm=\"x\", nonce=\"\(nonce)\"" }
    try session.receive(answer(1, "401 Unauthorized", [challenge(1)]))
    for (number, answer) in answers().enumerated() where answer.first != 0x24 {
      // The numbers are those of a session without a challenge.
      let later = number < 4 ? number + 2 : 6
      let text = String(decoding: answer, as: UTF8.self)
      let old = try #require(text.firstMatch(of: /CSeq: \d+/)).output
      try session.receive(Array(text.replacing(old, with: "CSeq: \(later)").utf8))
    }
    #expect(session.isPlaying)
    _ = session.takeRequests()
    session.keepAlive(at: .seconds(0))
    session.keepAlive(at: .seconds(8))
    try session.receive(answer(7, "401 Unauthorized", [challenge(2)]))
    let sent = requests(&session)
    #expect(sent.map(\.method) == ["GET_PARAMETER", "GET_PARAMETER"])
    #expect(sent.last?.headers["Authorization"]?.contains("nonce=\"2\"") == true)
    // A server that goes on is not asked again at once.
    for number in 8..<20 {
      guard !requests(&session).isEmpty || number == 8 else { break }
      try session.receive(answer(number, "401 Unauthorized", [challenge(number)]))
      #expect(number < 11)
    }
    #expect(session.isPlaying)
  }

  @Test func `two streams on one channel are an error`() throws {
    var session = session()
    for answer in answers().prefix(3) { try session.receive(answer) }
    #expect(throws: RTSPError.self) {
      try session.receive(answer(4, "200 OK", ["Transport: RTP/AVP/TCP;interleaved=1-2"]))
    }
  }

  @Test func `an answer to an unknown request is an error, and a late one is ignored`() throws {
    var early = session()
    #expect(throws: RTSPError.self) { try early.receive(answer(2)) }
    var late = session()
    try late.receive(answer(1))
    _ = late.takeRequests()
    try late.receive(answer(1))
    #expect(late.takeRequests().isEmpty)
    #expect(throws: RTSPError.self) { try late.receive(Array("RTSP/1.0 200 OK\r\n\r\n".utf8)) }
  }

  @Test func `requests of the server are declined`() throws {
    var session = session()
    _ = session.takeRequests()
    try session.receive(Array("ANNOUNCE * RTSP/1.0\r\nCSeq: 4\r\nContent-Length: 1\r\n\r\nx".utf8))
    #expect(
      String(decoding: session.takeRequests(), as: UTF8.self)
        == "RTSP/1.0 501 Not Implemented\r\nCSeq: 4\r\n\r\n")
  }

  @Test(arguments: [
    ("404 Not Found", RTSPError.Code.refused, "DESCRIBE with 404 Not Found"),
    (
      "302 Found", .unsupported,
      "redirects to rtsp://other/, but redirects are not followed: record from rtsp://other/"
    ),
    ("401 Unauthorized", .unauthorized, "requires a user and a password"),
  ]) func `a rejected request is an error`(
    status: String, code: RTSPError.Code, text: String
  ) throws {
    var session = session()
    try session.receive(answer(1, "405 Method Not Allowed"))
    let error = #expect(throws: RTSPError.self) {
      try session.receive(answer(2, status, ["Location: rtsp://other/"]))
    }
    #expect(error?.code == code)
    #expect(error?.description.contains(text) == true)
  }

  @Test(arguments: [
    ("461 Unsupported Transport", "X: y"),
    ("200 OK", "Transport: RTP/AVP;unicast;client_port=4-5"),
  ]) func `a server that does not send over the connection is an error`(
    status: String, header: String
  ) throws {
    var session = session()
    for answer in answers().prefix(2) { try session.receive(answer) }
    let error = #expect(throws: RTSPError.self) {
      try session.receive(answer(3, status, [header]))
    }
    #expect(error?.description.contains("RTP over TCP") == true)
  }

  @Test(arguments: ["x", "v=0\r\nm=application 0 RTP/AVP 96\r\n", "v=0\r\n"])
  func `a description without pictures and sound is an error`(text: String) throws {
    var session = session()
    try session.receive(answer(1))
    #expect(throws: RTSPError.self) { try session.receive(answer(2, body: text)) }
  }

  @Test func `a challenge is answered once`() throws {
    var session = session("Mufasa:Circle of Life")
    let challenge = ["WWW-Authenticate: Basic realm=\"x\""]
    try session.receive(answer(1, "401 Unauthorized", challenge))
    let sent = requests(&session).last
    #expect(sent?.method == "OPTIONS")
    #expect(sent?.headers["Authorization"] == "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
    let error = #expect(throws: RTSPError.self) {
      try session.receive(answer(2, "401 Unauthorized", challenge))
    }
    #expect(error?.code == .unauthorized)
    #expect(error?.description.contains("Circle") == false)
  }

  @Test func `a new nonce is used if the old one is stale`() throws {
    var session = session("ada:secret")
    try session.receive(
      answer(1, "401 Unauthorized", ["WWW-Authenticate: Digest realm=\"x\", nonce=\"1\""]))
    _ = session.takeRequests()
    try session.receive(
      answer(
        2, "401 Unauthorized",
        ["WWW-Authenticate: Digest realm=\"x\", nonce=\"2\", stale=TRUE"]))
    #expect(requests(&session).last?.headers["Authorization"]?.contains("nonce=\"2\"") == true)
  }

  @Test func `packets that are not taken are limited`() throws {
    var session = session()
    for answer in answers().prefix(3) { try session.receive(answer) }
    let packet = [0x24, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 0xFFFF)
    for _ in 0..<200 { try session.receive(packet) }
    #expect((1..<200).contains(session.takePackets().count))
    try session.receive(packet)
    #expect(session.takePackets().count == 1)
  }

  @Test func `changed bytes are errors or ignored`() throws {
    var random = SeededRandom(seed: 21)
    let original = answers().flatMap { $0 }
    var played = 0
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      var session = session("ada:secret")
      do {
        try session.receive(bytes)
        played += session.isPlaying ? 1 : 0
      } catch {
        // An error is the right outcome of most changes.
      }
    }
    // Otherwise the test would show nothing.
    #expect((100..<1900).contains(played))
  }
}
