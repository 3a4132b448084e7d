/// Splits the bytes of a connection into messages and binary data (RFC 2326, 10.12).
package struct RTSPReader {
  /// A unit of the connection.
  package enum Item: Hashable, Sendable {
    case response(RTSPResponse)
    case request(RTSPServerRequest)
    /// A packet of a stream.
    case data(channel: UInt8, [UInt8])
  }

  private var bytes: [UInt8] = []
  /// The number of `bytes` that were read.
  private var start = 0
  /// The number of unread bytes that are known not to contain the end of a header.
  private var searched = 0

  /// The maximum number of bytes of a header.
  package static let longestHeader = 16 << 10
  /// The maximum number of bytes of a body.
  package static let longestBody = 64 << 10
  /// The byte that begins binary data.
  private static let dollar = UInt8(ascii: "$")
  private static let dataHeaderSize = 4

  package init() {}

  /// Adds bytes of the connection.
  package mutating func add(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next unit, once all of its bytes have arrived.
  ///
  /// - Throws: ``RTSPError`` with code `invalid`.
  package mutating func next() throws(RTSPError) -> Item? {
    // Some servers send empty lines between messages.
    while searched == 0, start < bytes.count, [13, 10].contains(bytes[start]) { start += 1 }
    guard start < bytes.count else { return nil }
    return bytes[start] == Self.dollar ? data() : try message()
  }

  private mutating func data() -> Item? {
    guard bytes.count - start >= Self.dataHeaderSize else { return nil }
    let count = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
    let begin = start + Self.dataHeaderSize
    guard bytes.count - begin >= count else { return nil }
    defer { start = begin + count }
    return .data(channel: bytes[start + 1], Array(bytes[begin..<begin + count]))
  }

  private mutating func message() throws(RTSPError) -> Item? {
    guard let end = headerEnd() else {
      guard bytes.count - start <= Self.longestHeader else {
        throw RTSPError(.invalid, "the server sends a header that is too long")
      }
      return nil
    }
    guard end - start <= Self.longestHeader else {
      throw RTSPError(.invalid, "the server sends a header that is too long")
    }
    let lines = String(decoding: bytes[start..<end], as: UTF8.self)
      .split(omittingEmptySubsequences: true) { $0.isNewline }
    let headers = try Self.headers(lines.dropFirst())
    let length = headers["Content-Length"] ?? "0"
    guard let size = Int(length), (0...Self.longestBody).contains(size) else {
      throw RTSPError(.invalid, "the server sends a message that is too long")
    }
    guard bytes.count - end >= size else { return nil }
    let body = Array(bytes[end..<end + size])
    (start, searched) = (end + size, 0)
    return try Self.item(lines.first ?? "", headers, body)
  }

  /// The offset after the empty line that ends the header; `nil` if it has not arrived.
  private mutating func headerEnd() -> Int? {
    var place = start + searched
    while place + 1 < bytes.count {
      if bytes[place] == 10 {
        if bytes[place + 1] == 10 { return place + 2 }
        guard place + 2 < bytes.count || bytes[place + 1] != 13 else { break }
        if bytes[place + 1] == 13, bytes[place + 2] == 10 { return place + 3 }
      }
      place += 1
    }
    searched = place - start
    return nil
  }

  private static func headers(
    _ lines: ArraySlice<Substring>
  ) throws(RTSPError) -> RTSPHeaders {
    var headers = RTSPHeaders()
    for line in lines {
      if line.first == " " || line.first == "\t" {
        headers.extend(line.trimmed)
        continue
      }
      guard let colon = line.firstIndex(of: ":") else {
        throw RTSPError(.invalid, "the server does not speak RTSP")
      }
      headers.add(line[..<colon].trimmed, line[line.index(after: colon)...].trimmed)
    }
    return headers
  }

  private static func item(
    _ line: Substring, _ headers: RTSPHeaders, _ body: [UInt8]
  ) throws(RTSPError) -> Item {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    if let version = words.first, version.hasPrefix("RTSP/1."), words.count >= 2,
      let status = Int(words[1]), (100...999).contains(status)
    {
      let reason = words.count > 2 ? words[2].visible(upTo: 80) : ""
      return .response(
        RTSPResponse(status: status, reason: reason, headers: headers, body: body))
    }
    guard words.count == 3, words[2].hasPrefix("RTSP/1.") else {
      throw RTSPError(.invalid, "the server does not speak RTSP")
    }
    return .request(RTSPServerRequest(headers: headers))
  }
}
