import Crypto
import Foundation

extension Plan {
  /// The SHA-256 of the plan's canonical JSON: the job's identity.
  public func hash() throws -> Digest { try CanonicalJSON.digest(of: self) }
}

/// JSON that encodes equal values to equal text, with sorted keys and no white space.
enum CanonicalJSON {
  /// The SHA-256 of the text.
  static func digest(of value: some Encodable) throws -> Digest {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Digest.of(try encoder.encode(value))
  }
}
