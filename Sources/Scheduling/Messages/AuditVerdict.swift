import Crypto

/// The result of comparing the chunks that several workers delivered for one segment.
public enum AuditVerdict: Hashable, Sendable {
  /// Two workers delivered the same bytes, which become the segment's chunk. Workers that delivered other bytes are
  /// distrusted.
  case confirmed(Digest, distrusted: [WorkerIdentity])
  /// All chunks differ and no other worker can decide. All these workers are distrusted, and the segment is rendered
  /// again.
  case undecided(distrusted: [WorkerIdentity])
  /// No other worker is left to compare with, so the segment gets its only chunk.
  case uncompared(Digest)

  /// The chunk that the segment gets; `nil` if it is rendered again.
  public var chunk: Digest? {
    switch self {
    case .confirmed(let chunk, _), .uncompared(let chunk): chunk
    case .undecided: nil
    }
  }

  /// The workers to distrust.
  public var distrusted: [WorkerIdentity] {
    switch self {
    case .confirmed(_, let workers), .undecided(let workers): workers
    case .uncompared: []
    }
  }
}
