/// Receives the stream that a sender publishes over a connection, and turns it into a Flash Video file.
///
/// It needs no socket: whoever has one passes the bytes that arrive to ``receive(_:)``, and sends ``takeReply()``.
/// Sources: Adobe's RTMP specification 1.0, and its Video File Format Specification 10.1, annex E, for the file.
public struct PublishingSession {
  private enum State {
    /// The sender has not sent its version and its first random bytes.
    case greeting
    /// The sender has not repeated this end's random bytes.
    case confirming
    /// Chunks follow.
    case connected
    case publishing
    case ended
  }

  private let key: String?
  /// The random bytes of the greeting.
  private let random: [UInt8]
  private var state = State.greeting
  private var greeting: [UInt8] = []
  private var chunks = ChunkReader()
  private var reply: [UInt8] = []
  private var file: [UInt8] = []
  private var received: UInt64 = 0
  private var acknowledged: UInt64 = 0
  /// The number of bytes after which the sender expects an acknowledgement.
  private var window: UInt64 = 2_500_000

  /// The bytes of a greeting without its version.
  private static let greetingSize = 1536
  /// The number of random bytes in a greeting.
  public static let randomSize = greetingSize - 8
  private static let version: UInt8 = 3
  /// The size of this end's chunks: longer than all of its messages.
  private static let chunkSize = 4096
  /// The message stream that the sender gets for its stream.
  private static let stream: UInt32 = 1

  /// Waits for a sender.
  ///
  /// - Parameters:
  ///   - key: the stream key that the sender must use; `nil` if every sender may publish.
  ///   - random: ``randomSize`` random bytes.
  public init(key: String?, random: [UInt8]) {
    self.key = key
    self.random = random
  }

  /// Whether nothing more is received, because the sender ended its stream or was rejected.
  public var hasEnded: Bool { state == .ended }

  /// Whether the sender has sent pictures or sound.
  public private(set) var hasBegun = false

  /// The bytes to send to the other end.
  public mutating func takeReply() -> [UInt8] {
    defer { reply = [] }
    return reply
  }

  /// The next bytes of the file.
  public mutating func takeFile() -> [UInt8] {
    defer { file = [] }
    return file
  }

  /// Takes bytes that arrived.
  ///
  /// - Throws: ``RTMPError`` if the sender does not follow the protocol. Nothing more can be received then.
  public mutating func receive(_ bytes: some Collection<UInt8>) throws(RTMPError) {
    received += UInt64(bytes.count)
    switch state {
    case .ended: return
    case .greeting, .confirming:
      greeting += bytes
      try greet()
      guard state == .connected else { return }
      chunks.add(greeting)
      greeting = []
    case .connected, .publishing: chunks.add(bytes)
    }
    while state != .ended, let message = try chunks.next() { try take(message) }
    if received - acknowledged >= window {
      acknowledged = received
      send(.acknowledgement, BigEndian.bytes(received, count: 4))
    }
  }

  /// Exchanges the greetings (RTMP 1.0, 5.2).
  private mutating func greet() throws(RTMPError) {
    if state == .greeting {
      guard let version = greeting.first else { return }
      guard version == Self.version else { throw RTMPError("it does not speak RTMP") }
      guard greeting.count > Self.greetingSize else { return }
      let theirs = greeting[1...Self.greetingSize]
      reply += [Self.version] + [UInt8](repeating: 0, count: 8) + random + theirs
      greeting.removeFirst(1 + Self.greetingSize)
      state = .confirming
    }
    guard greeting.count >= Self.greetingSize else { return }
    greeting.removeFirst(Self.greetingSize)
    state = .connected
  }

  private mutating func take(_ message: Message) throws(RTMPError) {
    switch message.kind {
    case .audio, .video:
      guard state == .publishing, message.stream == Self.stream else { return }
      // The bit stands for the codecs of Enhanced RTMP, which libav cannot read.
      guard message.kind == .audio || message.payload.first.map({ $0 & 0x80 == 0 }) ?? true else {
        return refuse("NetStream.Publish.Rejected", "only H.264 video can be recorded")
      }
      addTag(message.type, time: message.time, message.payload[...])
    case .aggregate:
      guard state == .publishing, message.stream == Self.stream else { return }
      addTags(in: message)
    case .command: try obey(AMFReader.values(in: message.payload[...]), on: message.stream)
    case .extendedCommand:
      try obey(AMFReader.values(in: message.payload.dropFirst()), on: message.stream)
    case .windowSize:
      window = max(1, BigEndian.number(message.payload.prefix(4)))
    case .userControl: answerPing(message.payload)
    case .chunkSize, .abort, .acknowledgement, .peerBandwidth, nil: break
    }
  }

  private mutating func answerPing(_ payload: [UInt8]) {
    let (ping, pong): ([UInt8], [UInt8]) = ([0, 6], [0, 7])
    if payload.prefix(2).elementsEqual(ping), payload.count == 6 {
      send(.userControl, pong + payload.dropFirst(2))
    }
  }

  // MARK: Commands

  private mutating func obey(_ values: [AMFValue], on stream: UInt32) throws(RTMPError) {
    guard let name = values.first?.text else { throw RTMPError("a command has no name") }
    // Echoed in the answer, so nothing but a number is accepted.
    var number = AMFValue.number(0)
    if values.count > 1, case .number = values[1] { number = values[1] }
    switch name {
    case "connect": acceptConnection(number)
    case "createStream":
      answer("_result", number, .null, .number(Double(Self.stream)))
    case "publish":
      publish(as: values.count > 3 ? values[3].text : nil)
    case "play":
      refuse("NetStream.Play.StreamNotFound", "this end only receives streams")
    case "deleteStream", "closeStream", "FCUnpublish":
      if state == .publishing { state = .ended }
    case "releaseStream", "FCPublish":
      answer("_result", number, .null, .null)
    default: break
    }
  }

  private mutating func acceptConnection(_ number: AMFValue) {
    send(.windowSize, BigEndian.bytes(window, count: 4))
    // 2 stands for a limit that the sender may adapt.
    send(.peerBandwidth, BigEndian.bytes(window, count: 4) + [2])
    send(.chunkSize, BigEndian.bytes(UInt64(Self.chunkSize), count: 4))
    answer(
      "_result", number,
      .object([
        AMFValue.Property(name: "fmsVer", value: .string("FMS/3,0,1,123")),
        AMFValue.Property(name: "capabilities", value: .number(31)),
      ]),
      status(
        "status", "NetConnection.Connect.Success", "connected",
        // The encoding of values in commands: AMF 0.
        and: [AMFValue.Property(name: "objectEncoding", value: .number(0))]))
  }

  private mutating func publish(as name: String?) {
    guard state == .connected else { return }
    guard key.map({ Self.areEqual($0, name ?? "") }) ?? true else {
      return refuse("NetStream.Publish.BadName", "the stream key is wrong")
    }
    state = .publishing
    chunks.longestMessage = .max
    // 0 stands for the beginning of a stream.
    send(.userControl, [0, 0] + BigEndian.bytes(UInt64(Self.stream), count: 4))
    tell("status", "NetStream.Publish.Start", "publishing")
  }

  /// Compares texts in a time that does not depend on where they differ.
  private static func areEqual(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    return a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private mutating func refuse(_ code: String, _ description: String) {
    tell("error", code, description)
    state = .ended
  }

  private func status(
    _ level: String, _ code: String, _ description: String, and others: [AMFValue.Property] = []
  ) -> AMFValue {
    .object(
      [
        AMFValue.Property(name: "level", value: .string(level)),
        AMFValue.Property(name: "code", value: .string(code)),
        AMFValue.Property(name: "description", value: .string(description)),
      ] + others)
  }

  private mutating func tell(_ level: String, _ code: String, _ description: String) {
    let values = [
      AMFValue.string("onStatus"), .number(0), .null, status(level, code, description),
    ]
    reply += Message(.command, stream: Self.stream, AMFValue.encode(values)).chunk(on: 5)
  }

  private mutating func answer(_ name: String, _ number: AMFValue, _ values: AMFValue...) {
    reply += Message(.command, AMFValue.encode([.string(name), number] + values)).chunk(on: 3)
  }

  private mutating func send(_ kind: Message.Kind, _ payload: [UInt8]) {
    reply += Message(kind, payload).chunk(on: 2)
  }

  // MARK: The file

  /// The bytes of a tag before its payload.
  private static let tagHeaderSize = 11

  private mutating func addTag(_ type: UInt8, time: UInt32, _ payload: ArraySlice<UInt8>) {
    if !hasBegun {
      hasBegun = true
      // The header says that the file has sound and pictures. Both may be missing.
      file += Array("FLV".utf8) + [1, 5] + BigEndian.bytes(9, count: 4) + [0, 0, 0, 0]
    }
    file.append(type)
    file += BigEndian.bytes(UInt64(payload.count), count: 3)
    file += BigEndian.bytes(UInt64(time & 0xFF_FFFF), count: 3) + [UInt8(time >> 24), 0, 0, 0]
    file += payload
    file += BigEndian.bytes(UInt64(Self.tagHeaderSize + payload.count), count: 4)
  }

  /// Adds the tags in an aggregate message, whose times count from that of the first one (RTMP 1.0, 7.1.6).
  private mutating func addTags(in message: Message) {
    var rest = message.payload[...]
    var first: UInt32?
    while rest.count >= Self.tagHeaderSize {
      let header = Array(rest.prefix(Self.tagHeaderSize))
      let size = Int(BigEndian.number(header[1..<4]))
      rest = rest.dropFirst(Self.tagHeaderSize)
      guard rest.count >= size else { return }
      let time = UInt32(header[7]) << 24 | UInt32(BigEndian.number(header[4..<7]))
      first = first ?? time
      let kind = Message.Kind(rawValue: header[0])
      if kind == .audio || kind == .video {
        addTag(header[0], time: message.time &+ (time &- (first ?? 0)), rest.prefix(size))
      }
      // The size of the tag follows it.
      rest = rest.dropFirst(size + 4)
    }
  }
}
