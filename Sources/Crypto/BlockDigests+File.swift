import Foundation

extension BlockDigests {
  /// The list as it is kept in a file: ``encoded``, and its own digest.
  public var stored: [UInt8] { encoded + digest.bytes }

  /// Reads a file of ``stored`` bytes; `nil` if it is not there, or any byte of it changed. Blocks.
  public init?(storedAt path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(encoded: data.dropLast(Digest.byteCount))
    guard digest.bytes.elementsEqual(data.suffix(Digest.byteCount)) else { return nil }
  }
}
