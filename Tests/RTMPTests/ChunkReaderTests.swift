import RTMP
import Support
import Testing

/// Messages that arrive in chunks.
@Suite(.mayBlock) struct ChunkReaderTests {
  private func messages(_ bytes: [UInt8], atMost length: Int? = nil) throws -> [Message] {
    var reader = ChunkReader()
    if let length { reader.longestMessage = length }
    reader.add(bytes)
    return try read(&reader)
  }

  private func read(_ reader: inout ChunkReader) throws -> [Message] {
    var messages: [Message] = []
    while let message = try reader.next() { messages.append(message) }
    return messages
  }

  /// A chunk with a whole header.
  private func chunk(
    on number: UInt8 = 4, time: [UInt8] = [0, 0, 0], length: Int, type: UInt8 = 9,
    _ payload: [UInt8]
  ) -> [UInt8] {
    [number] + time + [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type]
      + [1, 0, 0, 0] + payload
  }

  @Test func `a message in one chunk has its time, type, stream and payload`() throws {
    let found = try messages(chunk(time: [0, 1, 2], length: 3, [7, 8, 9]))
    #expect(found == [Message(type: 9, stream: 1, time: 258, payload: [7, 8, 9])])
  }

  @Test func `a message in several chunks is joined, also if bytes arrive one by one`() throws {
    let payload = (0..<300).map { UInt8($0 & 0xFF) }
    let bytes =
      chunk(length: 300, Array(payload[..<128])) + [0xC4] + payload[128..<256] + [0xC4]
      + payload[256...]
    #expect(try messages(bytes).map(\.payload) == [payload])
    var reader = ChunkReader()
    var found: [Message] = []
    for byte in bytes {
      reader.add([byte])
      found += try read(&reader)
    }
    #expect(found.map(\.payload) == [payload])
  }

  @Test func `chunks of two messages may alternate`() throws {
    let (sound, picture) = ([UInt8](repeating: 1, count: 200), [UInt8](repeating: 2, count: 200))
    let bytes =
      chunk(on: 4, length: 200, type: 8, Array(sound[..<128]))
      + chunk(on: 6, length: 200, type: 9, Array(picture[..<128])) + [0xC4] + sound[128...]
      + [0xC6] + picture[128...]
    let found = try messages(bytes)
    #expect(found.map(\.type) == [8, 9])
    #expect(found.map(\.payload) == [sound, picture])
  }

  @Test func `short headers continue the time, the length and the type of the message before`()
    throws
  {
    let bytes =
      chunk(time: [0, 0, 100], length: 1, [1])
      + [0x44, 0, 0, 40, 0, 0, 2, 8, 2, 2]  // another length and type, 40 ms later
      + [0x84, 0, 0, 20, 3, 3]  // 20 ms later
      + [0xC4, 4, 4]  // 20 ms later again
    let found = try messages(bytes)
    #expect(found.map(\.time) == [100, 140, 160, 180])
    #expect(found.map(\.type) == [9, 8, 8, 8])
    #expect(found.map(\.payload) == [[1], [2, 2], [3, 3], [4, 4]])
    #expect(found.allSatisfy { $0.stream == 1 })
  }

  @Test func `a time that does not fit in three bytes follows in each chunk of its message`() throws
  {
    let time: [UInt8] = [0x01, 0x02, 0x03, 0x04]
    let payload = [UInt8](repeating: 5, count: 130)
    let bytes =
      chunk(time: [0xFF, 0xFF, 0xFF], length: 130, time + payload[..<128]) + [0xC4] + time
      + payload[128...]
    #expect(
      try messages(bytes) == [Message(type: 9, stream: 1, time: 0x0102_0304, payload: payload)])
  }

  @Test func `times start again at zero after 32 bits`() throws {
    let bytes =
      chunk(time: [0xFF, 0xFF, 0xFF], length: 1, [0xFF, 0xFF, 0xFF, 0xF0, 1])
      + [0x84, 0, 0, 0x20, 2]
    #expect(try messages(bytes).map(\.time) == [0xFFFF_FFF0, 0x10])
  }

  @Test func `chunks get the size that the sender announces`() throws {
    let payload = [UInt8](repeating: 3, count: 1000)
    let bytes =
      chunk(on: 2, length: 4, type: 1, [0, 0, 0x04, 0]) + chunk(length: 1000, payload)
    #expect(try messages(bytes).map(\.payload) == [[0, 0, 4, 0], payload])
  }

  @Test func `an aborted message is left out`() throws {
    let bytes =
      chunk(length: 200, [UInt8](repeating: 1, count: 128))
      + chunk(on: 2, length: 4, type: 2, [0, 0, 0, 4]) + chunk(length: 1, [9])
    #expect(try messages(bytes).map(\.payload) == [[0, 0, 0, 4], [9]])
  }

  @Test func `chunk streams may have numbers of two and three bytes`() throws {
    let header: [UInt8] = [0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 5]
    #expect(try messages([0x00, 10] + header).map(\.payload) == [[5]])
    #expect(try messages([0x01, 10, 1] + header).map(\.payload) == [[5]])
  }

  @Test(
    arguments: [
      [0xC4],  // continues nothing
      [4, 0, 0, 0, 0, 0, 200, 9, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 128)
        + [4, 0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 1],  // a message inside another one
      [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0],  // chunks without bytes
    ] as [[UInt8]])
  func `chunks that the protocol does not allow are errors`(bytes: [UInt8]) {
    #expect(throws: RTMPError.self) { try messages(bytes) }
  }

  @Test func `a long message in chunks of one byte is joined`() throws {
    let payload = [UInt8](repeating: 7, count: 300_000)
    var bytes = chunk(on: 2, length: 4, type: 1, [0, 0, 0, 1])
    // The announcement itself has the usual size.
    bytes += chunk(length: payload.count, [7])
    for byte in payload.dropFirst() { bytes += [0xC4, byte] }
    #expect(try messages(bytes, atMost: 300_000).last?.payload == payload)
    #expect(throws: RTMPError.self) { try messages(bytes, atMost: 299_999) }
  }

  @Test func `before a sender publishes, messages have at most 64 KiB`() throws {
    #expect(try messages(chunk(length: 1 << 16, [1])) == [])
    #expect(throws: RTMPError.self) { try messages(chunk(length: (1 << 16) + 1, [1])) }
  }

  @Test func `more chunk streams than any encoder uses are an error`() {
    let bytes = (0..<65).flatMap { number in
      [0x00, UInt8(number), 0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 5] as [UInt8]
    }
    #expect(throws: RTMPError.self) { try messages(bytes) }
  }
}
