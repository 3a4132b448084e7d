import RTSP
import Support
import Testing

@Suite(.mayBlock) struct RTSPReaderTests {
  private func items(_ bytes: [UInt8]) throws -> [RTSPReader.Item] {
    var reader = RTSPReader()
    reader.add(bytes)
    var items: [RTSPReader.Item] = []
    while let item = try reader.next() { items.append(item) }
    return items
  }

  private let mixture =
    Array("RTSP/1.0 200 OK\r\ncseq: 7\r\nContent-Length: 3\r\nX: a\r\n b\r\n\r\nabc\r\n".utf8)
    + [0x24, 5, 0, 4, 13, 10, 13, 10] + Array("OPTIONS * RTSP/1.0\nCSeq: 1\n\n".utf8)
    + [0x24, 0, 0, 0] + Array("RTSP/1.0 404 Not Found\r\nCSeq: 8\r\n\r\n".utf8)

  @Test func `messages and data are told apart, wherever their bytes are split`() throws {
    let whole = try items(mixture)
    try #require(whole.count == 5)
    for split in 0...mixture.count {
      var reader = RTSPReader()
      var found: [RTSPReader.Item] = []
      for part in [mixture[..<split], mixture[split...]] {
        reader.add(part)
        while let item = try reader.next() { found.append(item) }
      }
      #expect(found == whole, "split at \(split)")
    }
    var reader = RTSPReader()
    var found: [RTSPReader.Item] = []
    for byte in mixture {
      reader.add([byte])
      while let item = try reader.next() { found.append(item) }
    }
    #expect(found == whole)
  }

  @Test func `a response has its status, its header and its body`() throws {
    guard case .response(let response) = try items(mixture)[0] else {
      Issue.record("the first item is not a response")
      return
    }
    #expect(response.status == 200)
    #expect(response.reason == "OK")
    #expect(response.headers.sequence == 7)
    #expect(response.headers["x"] == "a b")
    #expect(response.body == Array("abc".utf8))
    #expect(try items(mixture)[1] == .data(channel: 5, [13, 10, 13, 10]))
    #expect(try items(mixture)[3] == .data(channel: 0, []))
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n\r\n", "RTSP/1.0 99 No\r\n\r\n", "RTSP/1.0 x\r\n\r\n", "one\r\n\r\n",
    "RTSP/1.0 200 OK\r\nno colon\r\n\r\n", "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n",
    "RTSP/1.0 200 OK\r\nContent-Length: 65537\r\n\r\n",
    "RTSP/1.0 200 OK\r\nContent-Length: x\r\n\r\n",
  ]) func `an invalid message is an error`(text: String) {
    #expect(throws: RTSPError.self) { try items(Array(text.utf8)) }
  }

  @Test(arguments: [true, false]) func `a header that is too long is an error`(ends: Bool) {
    let text =
      "RTSP/1.0 200 OK\r\nX: " + String(repeating: "x", count: RTSPReader.longestHeader)
      + (ends ? "\r\n\r\n" : "")
    #expect(throws: RTSPError.self) { try items(Array(text.utf8)) }
  }
}
