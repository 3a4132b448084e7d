/// A part of a stream that its packets' structure shows to be damaged, without decoding it.
public struct DamagedRange: Hashable, Codable, Sendable {
  /// What is wrong.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// The file ends before these packets.
    case missing
    /// The packets contradict themselves.
    case broken
  }

  /// What is wrong.
  public var kind: Kind
  /// The time of the first damaged frame or sample, in ticks of the stream.
  public var start: Int64
  /// The end of the last one, in ticks of the stream.
  public var end: Int64

  /// A range from its parts.
  public init(kind: Kind, start: Int64, end: Int64) {
    self.kind = kind
    self.start = start
    self.end = end
  }
}
