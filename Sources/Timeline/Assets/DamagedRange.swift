/// A damaged part of a stream, as detected from the structure of its packets without decoding.
///
/// Video frames that may be predicted from a broken packet also count as broken.
public struct DamagedRange: Hashable, Codable, Sendable {
  /// The kind of damage.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// The file ends before these packets.
    case missing = "missing"
    /// The packets are inconsistent, or may be predicted from inconsistent packets.
    case broken = "broken"
  }

  /// The kind of damage.
  public var kind: Kind
  /// The time of the first damaged frame or sample, in ticks of the stream.
  public var start: Int64
  /// The end of the last one, in ticks of the stream.
  public var end: Int64

  /// Creates a range.
  public init(kind: Kind, start: Int64, end: Int64) {
    self.kind = kind
    self.start = start
    self.end = end
  }
}
