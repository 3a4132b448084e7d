import RTMP
import Support
import Testing

/// The conversation with a sender that publishes.
@Suite(.mayBlock) struct PublishingSessionTests {
  private static let random = [UInt8](repeating: 7, count: PublishingSession.randomSize)
  private static let greeting: [UInt8] = [3] + [UInt8](repeating: 1, count: 1536)

  private func command(_ values: AMFValue..., on stream: UInt32 = 0) -> [UInt8] {
    let bytes = AMFValue.encode(values)
    return Message(.command, stream: stream, bytes).chunk(on: 3)
  }

  /// The bytes with which a sender begins to publish.
  private func opening(_ key: String) -> [UInt8] {
    Self.greeting + Self.random + [UInt8](repeating: 0, count: 8)
      + command(.string("connect"), .number(1), .object([]))
      + command(.string("createStream"), .number(2), .null)
      + command(.string("publish"), .number(3), .null, .string(key), .string("live"), on: 1)
  }

  private func media(_ kind: Message.Kind, at time: UInt32, _ payload: [UInt8]) -> [UInt8] {
    var message = Message(kind, stream: 1, payload)
    message.time = time
    return message.chunk(on: 4)
  }

  /// The codes in the status messages of a reply.
  private func codes(in reply: [UInt8]) throws -> [String] {
    var reader = ChunkReader()
    reader.add(reply)
    var codes: [String] = []
    while let message = try reader.next() {
      guard message.kind == .command else { continue }
      for case .object(let properties) in try AMFReader.values(in: message.payload[...]) {
        codes += properties.filter { $0.name == "code" }.compactMap(\.value.text)
      }
    }
    return codes
  }

  /// The rest of a reply after this end's greeting.
  private func afterGreeting(_ reply: [UInt8]) -> [UInt8] { Array(reply.dropFirst(1 + 2 * 1536)) }

  @Test func `the greeting repeats the sender's bytes`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(Self.greeting)
    let reply = session.takeReply()
    #expect(reply.count == 1 + 2 * 1536)
    #expect(reply.first == 3)
    #expect(reply[9..<1537].elementsEqual(Self.random))
    #expect(reply[1537...].elementsEqual(Self.greeting[1...]))
  }

  @Test(arguments: [nil, "0123456789"])
  func `a published stream becomes a file, however its bytes arrive`(key: String?) throws {
    let sent =
      opening(key ?? "any") + media(.video, at: 5, [0x17, 0, 0])
      + media(.audio, at: 0x0100_0000 - 2, [0xAF, 1])
    let file: [UInt8] =
      [0x46, 0x4C, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]
      + [9, 0, 0, 3, 0, 0, 5, 0, 0, 0, 0, 0x17, 0, 0, 0, 0, 0, 14]
      + [8, 0, 0, 2, 0xFF, 0xFF, 0xFE, 0, 0, 0, 0, 0xAF, 1, 0, 0, 0, 13]
    var whole = PublishingSession(key: key, random: Self.random)
    try whole.receive(sent)
    #expect(whole.takeFile() == file)
    let reply = whole.takeReply()
    #expect(
      try codes(in: afterGreeting(reply)) == [
        "NetConnection.Connect.Success", "NetStream.Publish.Start",
      ])
    var pieces = PublishingSession(key: key, random: Self.random)
    var found: [UInt8] = []
    for byte in sent {
      try pieces.receive([byte])
      found += pieces.takeFile()
    }
    #expect(found == file)
    #expect(pieces.takeReply() == reply)
  }

  @Test(arguments: ["9876543210", "012345678", "01234567890", ""])
  func `a sender with another key is rejected, and nothing is received from it`(key: String) throws
  {
    var session = PublishingSession(key: "0123456789", random: Self.random)
    try session.receive(opening(key) + media(.video, at: 0, [1]))
    #expect(session.hasEnded)
    #expect(session.takeFile() == [])
    #expect(
      try codes(in: afterGreeting(session.takeReply())).last == "NetStream.Publish.BadName")
  }

  @Test func `media before publishing, and on other streams, is left out`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(
      Self.greeting + [UInt8](repeating: 0, count: 1536) + media(.video, at: 0, [1]))
    #expect(session.takeFile() == [])
    try session.receive(
      command(.string("publish"), .number(3), .null, .string("x"), .string("live"), on: 1))
    try session.receive(Message(type: 9, stream: 2, payload: [1]).chunk(on: 4))
    // A sender that publishes nothing leaves no file behind.
    #expect(session.takeFile() == [])
    #expect(!session.hasBegun)
    try session.receive(media(.video, at: 0, [1]))
    #expect(session.takeFile().count == 13 + 16)
    #expect(session.hasBegun)
  }

  @Test func `long messages are accepted once the sender publishes`() throws {
    let picture = [UInt8](repeating: 5, count: 100_000)
    // Announced chunks hold the whole message.
    let long =
      Message(.chunkSize, [0, 2, 0, 0]).chunk(on: 2)
      + Message(type: 9, stream: 1, payload: picture).chunk(on: 4)
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("any") + long)
    #expect(session.takeFile().count == 13 + 15 + picture.count)
    var early = PublishingSession(key: nil, random: Self.random)
    #expect(throws: RTMPError.self) {
      try early.receive(Self.greeting + [UInt8](repeating: 0, count: 1536) + long)
    }
  }

  @Test func `pictures of a codec that cannot be recorded are rejected`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x") + media(.video, at: 0, [0x90, 0x68, 0x76, 0x63, 0x31]))
    #expect(session.hasEnded)
    #expect(session.takeFile() == [])
    #expect(
      try codes(in: afterGreeting(session.takeReply())).last == "NetStream.Publish.Rejected")
  }

  @Test func `the tags of an aggregate are separated`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x") + media(.audio, at: 0, [1]))
    _ = session.takeFile()
    let tags: [UInt8] =
      [9, 0, 0, 1, 0, 0, 10, 0, 0, 0, 0, 0xAA, 0, 0, 0, 12]
      + [8, 0, 0, 1, 0, 0, 30, 0, 0, 0, 0, 0xBB, 0, 0, 0, 12]
    try session.receive(media(.aggregate, at: 100, tags))
    #expect(
      session.takeFile()
        == [9, 0, 0, 1, 0, 0, 100, 0, 0, 0, 0, 0xAA, 0, 0, 0, 12]
        + [8, 0, 0, 1, 0, 0, 120, 0, 0, 0, 0, 0xBB, 0, 0, 0, 12])
  }

  @Test(arguments: ["deleteStream", "closeStream", "FCUnpublish"])
  func `the stream ends when its sender ends it`(name: String) throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x"))
    #expect(!session.hasEnded)
    try session.receive(command(.string(name), .number(4), .null, .number(1)))
    #expect(session.hasEnded)
  }

  @Test func `a player is turned away`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(
      Self.greeting + [UInt8](repeating: 0, count: 1536)
        + command(.string("play"), .number(1), .null, .string("x"), on: 1))
    #expect(session.hasEnded)
    #expect(
      try codes(in: afterGreeting(session.takeReply())) == ["NetStream.Play.StreamNotFound"])
  }

  @Test func `bytes are acknowledged once the sender's window is full`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x") + Message(.windowSize, [0, 0, 0x10, 0]).chunk(on: 2))
    _ = session.takeReply()
    try session.receive(media(.video, at: 0, [UInt8](repeating: 0, count: 100)))
    #expect(session.takeReply() == [])
    try session.receive(Message(.chunkSize, [0, 0, 0x20, 0]).chunk(on: 2))
    try session.receive(media(.video, at: 0, [UInt8](repeating: 0, count: 5000)))
    var reader = ChunkReader()
    reader.add(session.takeReply())
    #expect(try reader.next()?.kind == .acknowledgement)
  }

  @Test func `only the number of a command is repeated in its answer`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x"))
    _ = session.takeReply()
    let long = AMFValue.string(String(repeating: "a", count: 90))
    try session.receive(command(.string("createStream"), long, .null))
    var reader = ChunkReader()
    reader.add(session.takeReply())
    let answer = try #require(try reader.next())
    #expect(
      try AMFReader.values(in: answer.payload[...])
        == [.string("_result"), .number(0), .null, .number(1)])
  }

  @Test func `a ping is answered`() throws {
    var session = PublishingSession(key: nil, random: Self.random)
    try session.receive(opening("x"))
    _ = session.takeReply()
    try session.receive(Message(.userControl, [0, 6, 1, 2, 3, 4]).chunk(on: 2))
    #expect(session.takeReply() == Message(.userControl, [0, 7, 1, 2, 3, 4]).chunk(on: 2))
  }

  @Test func `another protocol is an error`() {
    var session = PublishingSession(key: nil, random: Self.random)
    #expect(throws: RTMPError.self) { try session.receive(Array("GET / HTTP/1.1\r\n".utf8)) }
  }

  @Test(arguments: 0..<200) func `changed bytes end the stream or change it, and nothing else`(
    seed: Int
  ) {
    var random = SeededRandom(seed: UInt64(seed))
    var sent =
      opening("x")
      + (0..<40).flatMap { time -> [UInt8] in
        let payload = (0..<Int.random(in: 0..<120, using: &random)).map { UInt8($0) }
        return media(time % 2 == 0 ? .video : .audio, at: UInt32(time), payload)
      }
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: 0..<sent.count, using: &random)
      sent[place] = UInt8.random(in: 0...255, using: &random)
    }
    var session = PublishingSession(key: nil, random: Self.random)
    var file = 0
    var rest = sent[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 1...500, using: &random))
      rest = rest.dropFirst(part.count)
      guard (try? session.receive(part)) != nil else { break }
      file += session.takeFile().count
    }
    #expect(file <= sent.count + 40 * 4 + 13)
  }
}
