import Scheduling

/// An event while a chunk is being uploaded, before its request is answered.
struct ChunkUploadEvent: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Bytes are arriving. Reported at most once a second.
    case arriving
    /// The upload ends because the body is not what the manifest states, for the given reason.
    case refused(String)
  }

  /// The lease whose chunk is uploaded.
  let lease: LeaseToken
  let kind: Kind
}
