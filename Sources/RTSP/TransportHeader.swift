/// The channels on which a server sends a stream (RFC 2326, 12.39).
struct TransportHeader: Hashable {
  /// The channel of RTP packets.
  let data: UInt8
  /// The channel of RTCP packets.
  let control: UInt8

  /// Reads the header of a response.
  ///
  /// - Parameter expected: the channel of RTP packets that was requested.
  /// - Throws: ``RTSPError`` with code `unsupported` if the server does not use the connection.
  init(_ text: String, expecting expected: UInt8) throws(RTSPError) {
    let parts = text.split(separator: ";").map { $0.trimmed.lowercased() }
    let channels = parts.first { $0.hasPrefix("interleaved=") }?.dropFirst("interleaved=".count)
      .split(separator: "-").compactMap { UInt8($0) }
    guard parts.first == "rtp/avp/tcp" || channels != nil || parts.isEmpty else {
      throw RTSPError(
        .unsupported,
        "the server does not send RTP over TCP: enable RTP over TCP (interleaved) on the server")
    }
    data = channels?.first ?? expected
    control = channels?.dropFirst().first ?? (data < 255 ? data + 1 : data)
  }
}
