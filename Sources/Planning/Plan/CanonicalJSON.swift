import Crypto
import Foundation

/// JSON that encodes equal values to equal text, with sorted keys and no white space.
package enum CanonicalJSON {
  /// The SHA-256 of the text.
  package static func digest(of value: some Encodable) throws -> Digest {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Digest.of(try encoder.encode(value))
  }
}
