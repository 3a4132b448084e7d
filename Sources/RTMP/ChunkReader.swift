/// Joins the chunks of a connection to messages (RTMP 1.0, 5.3).
package struct ChunkReader {
  /// The header fields of a chunk stream, which later chunks need not repeat.
  private struct Stream {
    var type: UInt8 = 0
    var stream: UInt32 = 0
    var length = 0
    /// The last time or step as it was sent, before an extended one.
    var field: UInt32 = 0
    var time: UInt32 = 0
  }

  /// The header of a chunk.
  private struct Header {
    let format: UInt8
    let chunkStream: Int
    /// The bytes of the chunk that were read to find this out.
    var length: Int
  }

  /// The maximum length of a message in bytes.
  package var longestMessage = ChunkReader.longestCommand
  /// The largest payload of a chunk in bytes, as the sender announced it.
  private var chunkSize = 128
  private var streams: [Int: Stream] = [:]
  /// The bytes of the current message of each chunk stream so far.
  private var payloads: [Int: [UInt8]] = [:]
  /// The number of bytes in `payloads`.
  private var pending = 0
  private var bytes: [UInt8] = []
  /// The number of `bytes` that were read.
  private var start = 0

  package init() {}

  /// The maximum length of a message from a sender that does not publish yet: several times that of any command.
  private static let longestCommand = 1 << 16
  /// The maximum number of chunk streams; encoders use fewer than ten.
  private static let mostStreams = 64
  /// The maximum number of bytes of messages that are incomplete.
  private static let mostPending = 32 << 20
  /// The field that says that the time follows in four bytes.
  private static let extended: UInt32 = 0xFF_FFFF

  /// Adds bytes of the connection.
  package mutating func add(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next message, once all of its chunks have arrived.
  ///
  /// - Throws: ``RTMPError``.
  package mutating func next() throws(RTMPError) -> Message? {
    while let (header, state, count) = try chunk() {
      guard streams[header.chunkStream] != nil || streams.count < Self.mostStreams else {
        throw RTMPError("it uses more than \(Self.mostStreams) chunk streams")
      }
      let number = header.chunkStream
      let begin = start + header.length
      // Appended in place, because copying the message for each of its chunks would take quadratic time.
      payloads[number, default: []] += bytes[begin..<(begin + count)]
      pending += count
      start = begin + count
      streams[number] = state
      guard payloads[number]?.count == state.length else {
        guard pending <= Self.mostPending else { throw RTMPError("its messages are too long") }
        continue
      }
      pending -= state.length
      let message = Message(
        type: state.type, stream: state.stream, time: state.time,
        payload: payloads.removeValue(forKey: number) ?? [])
      try obey(message)
      return message
    }
    return nil
  }

  /// Obeys the messages that change how chunks are read.
  private mutating func obey(_ message: Message) throws(RTMPError) {
    switch message.kind {
    case .chunkSize:
      let size = Int(BigEndian.number(message.payload.prefix(4)) & 0x7FFF_FFFF)
      guard message.payload.count >= 4, size > 0 else {
        throw RTMPError("it announces chunks without bytes")
      }
      // No message has more bytes.
      chunkSize = min(size, Int(Self.extended))
    case .abort:
      let number = Int(BigEndian.number(message.payload.prefix(4)))
      pending -= payloads.removeValue(forKey: number)?.count ?? 0
    default: break
    }
  }

  /// The next chunk: its header, its stream's state with what the header states, and the number of payload bytes; `nil`
  /// if some of its bytes have not arrived.
  private func chunk() throws(RTMPError) -> (Header, Stream, Int)? {
    guard var header = basicHeader() else { return nil }
    let fieldCount = [11, 7, 3, 0][Int(header.format)]
    guard let fields = peek(header.length, fieldCount) else { return nil }
    header.length += fieldCount
    let known = streams[header.chunkStream]
    guard header.format == 0 || known != nil else {
      throw RTMPError("a chunk refers to an earlier one that was not sent")
    }
    var state = known ?? Stream()
    let received = payloads[header.chunkStream]?.count ?? 0
    let isContinued = received > 0
    guard !isContinued || header.format == 3 else {
      throw RTMPError("a message begins inside another one")
    }
    if header.format <= 2 { state.field = UInt32(BigEndian.number(fields.prefix(3))) }
    if header.format <= 1 {
      state.length = Int(BigEndian.number(fields[3..<6]))
      state.type = fields[6]
      guard state.length <= longestMessage else { throw RTMPError("its messages are too long") }
    }
    if header.format == 0 { state.stream = UInt32(BigEndian.number(fields[7..<11].reversed())) }
    var step = state.field
    if state.field == Self.extended {
      guard let time = peek(header.length, 4) else { return nil }
      step = UInt32(BigEndian.number(time))
      header.length += 4
    }
    if !isContinued {
      switch header.format {
      case 0: state.time = step
      default: state.time &+= step
      }
    }
    let count = min(chunkSize, state.length - received)
    return bytes.count - start - header.length >= count ? (header, state, count) : nil
  }

  /// The format and the chunk stream of the next chunk (RTMP 1.0, 5.3.1.1).
  private func basicHeader() -> Header? {
    guard let first = peek(0, 1)?.first else { return nil }
    let (format, number) = (first >> 6, Int(first & 0x3F))
    switch number {
    case 0:
      return peek(1, 1).map { Header(format: format, chunkStream: 64 + Int($0[0]), length: 2) }
    case 1:
      return peek(1, 2).map {
        Header(format: format, chunkStream: 64 + Int($0[0]) + Int($0[1]) << 8, length: 3)
      }
    default: return Header(format: format, chunkStream: number, length: 1)
    }
  }

  /// The bytes at an offset in the next chunk; `nil` if some have not arrived.
  private func peek(_ offset: Int, _ count: Int) -> [UInt8]? {
    let first = start + offset
    return bytes.count - first >= count ? Array(bytes[first..<(first + count)]) : nil
  }
}
