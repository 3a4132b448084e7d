import Crypto
import FarmAPI

/// Identifies a submission, so that a repeated one is recognized.
package struct SubmissionKey: Hashable, Sendable {
  /// The client's key. Different submitters may use the same key.
  package let key: IdempotencyKey
  /// The SHA-256 of the body.
  package let body: Digest

  package init(key: IdempotencyKey, body: Digest) {
    self.key = key
    self.body = body
  }
}
