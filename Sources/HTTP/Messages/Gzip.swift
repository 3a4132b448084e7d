import CZlib
import Foundation

/// The gzip format (RFC 1952), written by zlib.
enum Gzip {
  /// Compresses bytes; `nil` if they do not become shorter.
  static func compress(_ data: Data) -> Data? {
    var compressed = Data(count: data.count)
    let count = data.withUnsafeBytes { bytes in
      compressed.withUnsafeMutableBytes { output in
        sheaf_zlib_gzip(bytes.baseAddress, bytes.count, output.baseAddress, output.count)
      }
    }
    return count > 0 ? compressed.prefix(count) : nil
  }
}
