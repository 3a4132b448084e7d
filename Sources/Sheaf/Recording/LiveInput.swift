import Media

/// The input that a ``LiveSource`` reads.
public protocol LiveInput: AnyObject {
  /// The format of the bytes.
  var format: LiveContainer { get }
  /// Whether each call of ``receive(into:within:)`` returns one whole datagram, which may begin with an RTP header.
  var isDatagram: Bool { get }
  /// How long bytes that have arrived are held back before they can be read.
  var delay: Duration { get }
  /// How long ago the bytes that were received last had arrived.
  var age: Duration { get }
  /// The number of pictures that were left out because some of their bytes did not arrive.
  var leftOut: Int { get }
  /// The start of a stream in ticks of the format, if packets of different streams have clocks of their own.
  func start(of stream: Int) -> Int64
  /// Waits for bytes, up to a time limit in milliseconds.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws -> LiveBytes
  /// Closes the input. Nothing is received afterwards.
  func close()
}

extension LiveInput {
  /// Zero, for inputs that hold nothing back.
  public var age: Duration { .zero }
  /// Zero, for inputs that leave nothing out.
  public var leftOut: Int { 0 }
  /// Zero, for formats in which all streams have one clock.
  public func start(of stream: Int) -> Int64 { 0 }
}

/// The outcome of waiting for bytes of a live source.
public enum LiveBytes: Hashable, Sendable {
  /// This number of bytes was received; 0 for an empty datagram.
  case bytes(Int)
  /// Nothing arrived in time.
  case nothing
  /// The source has ended.
  case ended
}
