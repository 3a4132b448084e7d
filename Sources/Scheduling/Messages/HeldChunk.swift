import Crypto

/// A chunk that was delivered and counts only once another worker has delivered the same bytes.
public struct HeldChunk: Hashable, Sendable {
  /// The worker that delivered it.
  public var worker: WorkerID
  /// Who that worker is.
  public var identity: WorkerIdentity
  /// The chunk's bytes.
  public var sha256: Digest

  /// A chunk from its parts.
  public init(worker: WorkerID, identity: WorkerIdentity, sha256: Digest) {
    self.worker = worker
    self.identity = identity
    self.sha256 = sha256
  }
}
