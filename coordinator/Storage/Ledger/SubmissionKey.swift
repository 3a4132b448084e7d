import Crypto
import FarmAPI

/// Identifies a submission, so that a repeated one is recognised.
struct SubmissionKey: Hashable, Sendable {
  /// The client's key. Different submitters may use the same key.
  let key: IdempotencyKey
  /// The SHA-256 of the body.
  let body: Digest
}
