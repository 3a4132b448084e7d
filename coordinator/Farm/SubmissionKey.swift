import Crypto
import FarmAPI

/// Identifies a submission, so that one that is sent again is recognised.
struct SubmissionKey: Hashable, Sendable {
  /// The client's key; each submitter has its own.
  let key: IdempotencyKey
  /// The SHA-256 of the body.
  let body: Digest
}
