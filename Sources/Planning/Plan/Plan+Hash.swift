import Crypto
import Foundation

extension Plan {
  /// The SHA-256 of the plan's canonical JSON: the job's identity.
  public func hash() throws -> Digest { try CanonicalJSON.digest(of: self) }
}

/// JSON with one text for a value: sorted keys, no white space.
enum CanonicalJSON {
  /// The SHA-256 of the text.
  static func digest(of value: some Encodable) throws -> Digest {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Digest.of(try encoder.encode(value))
  }
}
