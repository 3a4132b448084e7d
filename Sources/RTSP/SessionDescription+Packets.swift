extension SessionDescription {
  /// The payload type that the packets of a stream have after ``RTPReceiver``, so that no two streams have the same.
  static func payloadType(of stream: Int) -> UInt8 { 96 + UInt8(stream) }

  /// The description of some of the streams whose packets ``RTPReceiver`` returns, made anew from what was understood of
  /// the server's.
  static func text(for media: [Media]) -> [UInt8] {
    var lines = ["v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0"]
    for (index, stream) in media.enumerated() {
      let type = payloadType(of: index)
      let channels = stream.channels.isEmpty ? "" : "/\(stream.channels)"
      lines.append("m=\(stream.kind.rawValue) 0 RTP/AVP \(type)")
      lines.append("a=rtpmap:\(type) \(stream.encoding)/\(stream.clockRate)\(channels)")
      let format = stream.format.visible(upTo: RTSPReader.longestHeader)
      if !format.isEmpty { lines.append("a=fmtp:\(type) \(format)") }
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
  }
}
