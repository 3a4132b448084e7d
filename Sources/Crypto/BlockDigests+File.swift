import Foundation

extension BlockDigests {
  /// The bytes that are stored in a file: ``encoded``, followed by the list's own digest.
  public var stored: [UInt8] { encoded + digest.bytes }

  /// Reads a file of ``stored`` bytes. Returns `nil` if the file is missing or any byte of it changed. Blocks.
  public init?(storedAt path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(encoded: data.dropLast(Digest.byteCount))
    guard digest.bytes.elementsEqual(data.suffix(Digest.byteCount)) else { return nil }
  }
}
