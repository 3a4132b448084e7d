import Foundation
import Synchronization

/// Small generated files, kept in memory, because many tests use the same ones and a start of `ffmpeg` is slow.
enum GeneratedFiles {
  private static let known = Mutex<[String: Data]>([:])

  /// Writes a file as before, or with `make` if it is the first of its kind.
  ///
  /// - Parameter kind: what decides the contents, except the extension of `path`.
  static func write(_ path: String, kind: String, by make: () throws -> Void) throws {
    let url = URL(filePath: path)
    let key = "\(kind) \(url.pathExtension)"
    if let bytes = known.withLock({ $0[key] }) { return try bytes.write(to: url) }
    try make()
    let bytes = try Data(contentsOf: url)
    if bytes.count < 1 << 20 { known.withLock { $0[key] = bytes } }
  }
}
