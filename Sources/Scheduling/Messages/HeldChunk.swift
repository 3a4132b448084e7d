import Crypto

/// A delivered chunk that is accepted only after another worker has delivered the same bytes.
public struct HeldChunk: Hashable, Sendable {
  /// The worker that delivered it.
  public var worker: WorkerID
  /// The identity of that worker.
  public var identity: WorkerIdentity
  /// The SHA-256 of the chunk.
  public var sha256: Digest

  /// Creates a held chunk.
  public init(worker: WorkerID, identity: WorkerIdentity, sha256: Digest) {
    self.worker = worker
    self.identity = identity
    self.sha256 = sha256
  }
}
