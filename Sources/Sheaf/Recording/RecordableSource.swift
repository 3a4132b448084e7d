import Media
import Recording

/// A source that a ``LiveRecorder`` can record.
package protocol RecordableSource: AnyObject {
  /// The source's name in errors.
  var name: String { get }
  /// The unit of the times of its packets. Known once it is open.
  var clock: LiveClock { get }
  /// Whether it is a file of uncompressed pictures or sound. Known once it is open.
  var isFile: Bool { get }
  /// The remedy if none of its streams can be recorded.
  var remedy: String { get }
  /// Whether streams of a codec are encoded although MP4 files can hold them.
  func encodes(_ codec: String) -> Bool
  /// Whether nothing has arrived so far.
  var isSilent: Bool { get }
  /// The number of pictures that were left out because some of their bytes did not arrive.
  var leftOut: Int { get }
  /// Whether ``stop()`` was called. Can be read on any thread.
  var hasStopped: Bool { get }
  /// Ends the source soon. Can be called on any thread.
  func stop()
  /// Waits until the formats of its streams are known.
  ///
  /// - Throws: `MediaError`.
  func open() throws -> any LivePacketReader
}

/// Reads the packets of an open source.
package protocol LivePacketReader: AnyObject {
  /// The streams of the source.
  var streams: [LiveDemuxer.Stream] { get }
  /// Waits for the next packet; `nil` at the end.
  ///
  /// - Throws: `MediaError`.
  func next() throws -> LivePacket?
}

/// A packet of a live source.
package struct LivePacket {
  /// The number of its stream.
  package let stream: Int
  /// The packet.
  package let packet: Packet
  /// When its first byte arrived.
  package let arrival: Duration
  /// Whether some of its bytes were lost.
  package internal(set) var isDamaged: Bool
  /// Whether packets between it and the previous one of its stream may have been lost.
  package internal(set) var followsLoss: Bool
}
