/// Makes a server send its streams, as a client of RTSP 1.0 (RFC 2326) with RTP within the connection.
///
/// It needs no socket and no clock: whoever has them passes the bytes that arrive to ``receive(_:)`` and the time to
/// ``keepAlive(at:)``, and sends ``takeRequests()``.
package struct PlayingSession {
  /// A packet that the server sent.
  package struct Packet: Hashable, Sendable {
    /// The number of its stream in ``PlayingSession/media``.
    package let media: Int
    /// Whether it is a packet of RTCP, not of RTP.
    package let isControl: Bool
    package let bytes: [UInt8]

    package init(media: Int, isControl: Bool, bytes: [UInt8]) {
      (self.media, self.isControl, self.bytes) = (media, isControl, bytes)
    }
  }

  /// The steps, each of which is one request that the server must answer.
  private enum Step: Hashable {
    case options
    case describe
    case setup(Int)
    case play
    case keepAlive
    case teardown

    func method(keepingAliveWith keeper: String) -> String {
      switch self {
      case .options: "OPTIONS"
      case .describe: "DESCRIBE"
      case .setup: "SETUP"
      case .play: "PLAY"
      case .keepAlive: keeper
      case .teardown: "TEARDOWN"
      }
    }
  }

  /// A request that the server has not answered.
  private struct Pending {
    let step: Step
    let sequence: Int
    let isAuthorized: Bool
  }

  private let url: String
  private let credentials: RTSPCredentials?
  private let clientNonce: String
  private var reader = RTSPReader()
  private var requests: [UInt8] = []
  private var packets: [Packet] = []
  /// The number of bytes that `packets` take.
  private var packetSize = 0
  private var pending: Pending?
  private var sequence = 0
  private var authorization: Authorization?
  /// The address of the server's description, to which its relative addresses refer.
  private var base: String
  private var description: SessionDescription?
  private var session: String?
  /// The streams of the connection's channels.
  private var channels: [UInt8: (media: Int, isControl: Bool)] = [:]
  private var keeper = "OPTIONS"
  /// The time of the last request that kept the session alive.
  private var lastKeepAlive: Duration?

  /// Whether the server has agreed to send the streams.
  package private(set) var isPlaying = false
  /// Whether ``end()`` was called.
  package private(set) var hasEnded = false
  /// The RTP timestamps, by number of the stream, that the server states for one common time.
  package private(set) var startTimestamps: [Int: UInt32] = [:]
  /// The seconds after which the server forgets a client that is silent.
  package private(set) var timeout = 60

  /// The maximum number of bytes of packets that wait to be taken. Further ones are dropped.
  private static let mostPacketBytes = 8 << 20
  /// The number of bytes that a packet takes in memory besides its own.
  static let packetCost = 64
  /// The longest time between two requests that keep the session alive, in seconds.
  private static let longestPause = 30

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - url: the address of the streams, without a user and a password.
  ///   - credentials: the user and the password; `nil` if there is none.
  ///   - clientNonce: random visible characters without quotes.
  package init(url: String, credentials: RTSPCredentials?, clientNonce: String) {
    (self.url, self.credentials, self.clientNonce) = (url, credentials, clientNonce)
    base = url
    send(.options)
  }

  /// The streams that the server offers; empty before it has described them.
  package var media: [SessionDescription.Media] { description?.media ?? [] }

  /// The bytes to send to the server.
  package mutating func takeRequests() -> [UInt8] {
    defer { requests = [] }
    return requests
  }

  /// The packets that have arrived.
  package mutating func takePackets() -> [Packet] {
    defer { (packets, packetSize) = ([], 0) }
    return packets
  }

  /// Takes bytes that arrived.
  ///
  /// - Throws: ``RTSPError``. Nothing more can be received then.
  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(RTSPError) {
    reader.add(bytes)
    while let item = try reader.next() {
      switch item {
      case .data(let channel, let bytes):
        guard let (media, isControl) = channels[channel], packetSize < Self.mostPacketBytes else {
          continue
        }
        packetSize += bytes.count + Self.packetCost
        packets.append(Packet(media: media, isControl: isControl, bytes: bytes))
      case .response(let response): try take(response)
      case .request(let request): refuse(request)
      }
    }
  }

  /// Sends a request that keeps the session alive, if one is due.
  ///
  /// - Parameter now: the time of a clock that never jumps.
  package mutating func keepAlive(at now: Duration) {
    guard isPlaying, pending == nil || pending?.step == .keepAlive else { return }
    guard let last = lastKeepAlive else {
      lastKeepAlive = now
      return
    }
    // Before half of the timeout, so that one without an answer can be followed by another.
    let pause = Duration.milliseconds(min(timeout * 400, Self.longestPause * 1000))
    guard now - last >= pause else { return }
    lastKeepAlive = now
    repetitions = 0
    send(.keepAlive)
  }

  /// Ends the session, if the server has begun one.
  package mutating func end() {
    (isPlaying, hasEnded) = (false, true)
    if session != nil { send(.teardown) }
  }

  // MARK: Requests

  private mutating func send(_ step: Step) {
    sequence += 1
    let method = step.method(keepingAliveWith: keeper)
    let target = target(of: step)
    var lines = ["\(method) \(target) RTSP/1.0", "CSeq: \(sequence)", "User-Agent: Sheaf"]
    if let header = authorization?.header(method: method, url: target) {
      lines.append("Authorization: \(header)")
    }
    if let session { lines.append("Session: \(session)") }
    switch step {
    case .describe: lines.append("Accept: application/sdp")
    case .setup(let index):
      lines.append(
        "Transport: RTP/AVP/TCP;unicast;interleaved=\(2 * index)-\(2 * index + 1)")
    case .play: lines.append("Range: npt=0.000-")
    case .options, .keepAlive, .teardown: break
    }
    requests += Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    pending = Pending(step: step, sequence: sequence, isAuthorized: authorization != nil)
  }

  /// The address that a request names.
  private func target(of step: Step) -> String {
    switch step {
    case .options, .describe: url
    case .setup(let index): ControlURL.resolve(media[index].control, on: base)
    case .play, .keepAlive, .teardown: ControlURL.resolve(description?.control, on: base)
    }
  }

  /// Answers a request of the server. None of them has to be understood (RFC 2326, 10).
  private mutating func refuse(_ request: RTSPServerRequest) {
    guard let number = request.headers.sequence else { return }
    requests += Array("RTSP/1.0 501 Not Implemented\r\nCSeq: \(number)\r\n\r\n".utf8)
  }

  // MARK: Responses

  private mutating func take(_ response: RTSPResponse) throws(RTSPError) {
    guard let number = response.headers.sequence, number <= sequence else {
      throw RTSPError(.invalid, "the server answers a request that was not sent")
    }
    // 1xx announces a final response.
    guard let pending, number == pending.sequence, response.status >= 200 else { return }
    self.pending = nil
    if response.status == 401 {
      guard pending.step == .keepAlive else { return try authorize(pending, response) }
      // A stream that arrives does not end because the server rejects a request that keeps it alive.
      if (try? authorize(pending, response)) == nil { keeper = "OPTIONS" }
      return
    }
    try check(response, to: pending.step)
    switch pending.step {
    case .options:
      let methods = response.headers["Public"]?.split(separator: ",").map(\.trimmed) ?? []
      if methods.contains("GET_PARAMETER") { keeper = "GET_PARAMETER" }
      send(.describe)
    case .describe:
      isAccepted = pending.isAuthorized
      try takeDescription(response)
    case .setup(let index): try takeSetup(of: index, response)
    case .play:
      takeTimestamps(response.headers["RTP-Info"] ?? "")
      isPlaying = true
    case .keepAlive:
      // The server may know only the other method.
      if !(200..<300).contains(response.status) { keeper = "OPTIONS" }
    case .teardown: break
    }
  }

  /// Repeats a request with the user and the password.
  private mutating func authorize(
    _ refused: Pending, _ response: RTSPResponse
  ) throws(RTSPError) {
    guard refused.step != .teardown else { return }
    guard let credentials else {
      throw RTSPError(
        .unauthorized,
        "the server requires a user and a password: state them as user:password in a passphrase "
          + "file")
    }
    let challenges = response.headers.all("WWW-Authenticate").flatMap {
      Challenge.challenges(in: $0)
    }
    let isStale = challenges.contains { $0.parameters["stale"]?.lowercased() == "true" }
    // Some servers use each nonce once, without a remark.
    let isFutile = refused.isAuthorized && !isStale && !isAccepted
    guard !isFutile, repetitions < Self.mostRepetitions else {
      throw RTSPError(
        .unauthorized, "the server rejects the user or the password: check the passphrase file")
    }
    repetitions += 1
    guard
      let next = Authorization(challenges, credentials, clientNonce: clientNonce)
    else {
      throw RTSPError(
        .unsupported,
        "the server requires authentication that is not supported: allow Digest with MD5 or SHA-256 "
          + "on the server")
    }
    authorization = next
    send(refused.step)
  }

  /// The number of requests in a row that were repeated with a user and a password.
  private var repetitions = 0
  private static let mostRepetitions = 3
  /// Whether the server has accepted the user and the password.
  private var isAccepted = false

  private mutating func check(
    _ response: RTSPResponse, to step: Step
  ) throws(RTSPError) {
    repetitions = 0
    let method = step.method(keepingAliveWith: keeper)
    switch (response.status, step) {
    case (200..<300, _), (_, .teardown), (_, .keepAlive): return
    case (300..<400, _):
      let place = response.headers["Location"]?.visible(upTo: 200)
      throw RTSPError(
        .unsupported,
        "the server redirects\(place.map { " to \($0)" } ?? ""), but redirects are not followed"
          + (place.map { ": record from \($0)" } ?? ""))
    case (_, .options): return
    case (461, .setup):
      throw RTSPError(
        .unsupported,
        "the server does not send RTP over TCP: enable RTP over TCP (interleaved) on the server")
    default:
      let remedy = response.status == 404 ? ": check the address" : ""
      throw RTSPError(
        .refused, "the server answers \(method) with \(response.summary)\(remedy)")
    }
  }

  private mutating func takeDescription(_ response: RTSPResponse) throws(RTSPError) {
    let stated = response.headers["Content-Base"] ?? response.headers["Content-Location"]
    if let stated = stated.flatMap(ControlURL.checked), stated.lowercased().hasPrefix("rtsp://") {
      base = stated
    }
    description = try SessionDescription(response.body)
    send(.setup(0))
  }

  private mutating func takeSetup(
    of index: Int, _ response: RTSPResponse
  ) throws(RTSPError) {
    let transport = try TransportHeader(
      response.headers["Transport"] ?? "", expecting: UInt8(2 * index))
    guard channels[transport.data] == nil, channels[transport.control] == nil,
      transport.data != transport.control
    else {
      throw RTSPError(.invalid, "the server sends several streams on one channel")
    }
    channels[transport.data] = (index, false)
    channels[transport.control] = (index, true)
    if let text = response.headers["Session"] {
      let parts = text.split(separator: ";").map(\.trimmed)
      session = parts.first.flatMap(ControlURL.checked) ?? session
      for part in parts.dropFirst() where part.lowercased().hasPrefix("timeout=") {
        timeout = Int(part.dropFirst("timeout=".count)).map { min(max($0, 1), 3600) } ?? timeout
      }
    }
    send(index + 1 < media.count ? .setup(index + 1) : .play)
  }

  /// Reads the header of a response to `PLAY` that states timestamps for one common time (RFC 2326, 12.33).
  private mutating func takeTimestamps(_ text: String) {
    let entries = text.split(separator: ",").map { entry in
      Dictionary(
        entry.split(separator: ";").map { part in
          let sides = part.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false
          ).map(\.trimmed)
          return (sides[0].lowercased(), sides.count > 1 ? sides[1] : "")
        }, uniquingKeysWith: { first, _ in first })
    }
    for (place, entry) in entries.enumerated() {
      guard let timestamp = entry["rtptime"].flatMap({ UInt32($0) }) else { continue }
      let named = media.indices.first { index in
        let address = target(of: .setup(index))
        return entry["url"] == address || entry["url"] == media[index].control
      }
      // Servers write addresses in several ways, but name the streams in order.
      if let index = named ?? (entries.count == media.count ? place : nil) {
        startTimestamps[index] = timestamp
      }
    }
  }
}
