import Crypto
import FarmAPI

/// What tells a submission that is sent again from another one.
struct SubmissionKey: Hashable, Sendable {
  /// The client's key; each submitter has its own.
  let key: IdempotencyKey
  /// The SHA-256 of the body.
  let body: Digest
}
