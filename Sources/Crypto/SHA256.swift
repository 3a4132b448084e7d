import CCrypto
import Foundation

/// An incremental SHA-256 computation: feed it bytes in any number of pieces, then take the digest once.
///
/// `@unchecked`: the state has one owner, which may hand it to another thread.
public struct SHA256: ~Copyable, @unchecked Sendable {
  private let context: OpaquePointer

  /// Creates a computation over no bytes.
  public init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("libcrypto offers no SHA-256, or there is no memory for its state")
    }
    self.context = context
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Appends `bytes` to the hashed content.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let accepted = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(accepted == 1, "libcrypto refused bytes for an open SHA-256 state")
  }

  /// Appends `bytes` to the hashed content.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends `data` to the hashed content.
  public mutating func update(_ data: Data) {
    data.withUnsafeBytes { update($0) }
  }

  /// Ends the computation and returns the digest of everything appended.
  public consuming func finalize() -> Digest {
    let bytes = [UInt8](unsafeUninitializedCapacity: Digest.byteCount) { buffer, count in
      let finished = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
      precondition(finished == 1, "libcrypto did not finish an open SHA-256 state")
      count = Digest.byteCount
    }
    guard let digest = Digest(bytes: bytes) else { preconditionFailure("a digest has 32 bytes") }
    return digest
  }
}
