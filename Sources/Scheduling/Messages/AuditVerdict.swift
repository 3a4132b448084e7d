import Crypto

/// The result of comparing the chunks that several workers delivered for one segment.
public enum AuditVerdict: Hashable, Sendable {
  /// Two workers delivered the same bytes, which the segment gets. Workers that delivered other bytes are not trusted.
  case confirmed(Digest, distrusted: [WorkerIdentity])
  /// All chunks differ and no further worker can decide: none of these workers is trusted, and the segment is rendered again.
  case undecided(distrusted: [WorkerIdentity])
  /// No other worker is left to compare with: the segment gets the one chunk that there is.
  case uncompared(Digest)

  /// The chunk that the segment gets; `nil` if it is rendered again.
  public var chunk: Digest? {
    switch self {
    case .confirmed(let chunk, _), .uncompared(let chunk): chunk
    case .undecided: nil
    }
  }

  /// The workers that are not trusted any more.
  public var distrusted: [WorkerIdentity] {
    switch self {
    case .confirmed(_, let workers), .undecided(let workers): workers
    case .uncompared: []
    }
  }
}
