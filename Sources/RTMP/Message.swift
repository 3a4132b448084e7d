/// A message between a sender and this end.
package struct Message: Hashable, Sendable {
  /// The types of messages that matter to a recording (RTMP 1.0, 5.4 and 7.1).
  package enum Kind: UInt8 {
    case chunkSize = 1
    case abort = 2
    case acknowledgement = 3
    case userControl = 4
    case windowSize = 5
    case peerBandwidth = 6
    case audio = 8
    case video = 9
    case aggregate = 22
    case command = 20
    /// A command with one byte before it.
    case extendedCommand = 17
  }

  package let type: UInt8
  /// The number of the message stream; 0 for the connection itself.
  package var stream: UInt32 = 0
  /// The time in milliseconds, modulo 2³².
  package var time: UInt32 = 0
  package let payload: [UInt8]

  /// The kind of the message; `nil` for kinds that are ignored.
  package var kind: Kind? { Kind(rawValue: type) }

  package init(type: UInt8, stream: UInt32 = 0, time: UInt32 = 0, payload: [UInt8]) {
    (self.type, self.stream, self.time, self.payload) = (type, stream, time, payload)
  }

  package init(_ kind: Kind, stream: UInt32 = 0, _ payload: [UInt8]) {
    self.init(type: kind.rawValue, stream: stream, payload: payload)
  }

  /// The message's bytes on a chunk stream, in a single chunk (RTMP 1.0, 5.3.1).
  ///
  /// - Precondition: the payload is no longer than this end's chunk size.
  package func chunk(on chunkStream: UInt8) -> [UInt8] {
    [chunkStream] + BigEndian.bytes(UInt64(min(time, 0xFF_FFFE)), count: 3)
      + BigEndian.bytes(UInt64(payload.count), count: 3) + [type]
      + BigEndian.bytes(UInt64(stream), count: 4).reversed() + payload
  }
}
