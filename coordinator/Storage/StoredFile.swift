import Crypto
import Foundation

/// A file in a store, named after the digest of its bytes.
struct StoredFile: Hashable, Sendable {
  let digest: Digest
  let byteCount: Int64
  /// The time when it was stored or last referred to.
  let date: Date

  /// Creates a description of the file at `path`; `nil` if it is not a store's file.
  init?(_ path: String) {
    guard let digest = Digest(hex: URL(fileURLWithPath: path).lastPathComponent),
      let byteCount = AssetStore.size(path), let date = Self.changeDate(path)
    else { return nil }
    (self.digest, self.byteCount, self.date) = (digest, byteCount, date)
  }

  /// All files of a store. Blocks.
  static func all(in folder: String) -> [StoredFile] {
    (FileManager.default.subpaths(atPath: folder) ?? []).compactMap { name in
      StoredFile("\(folder)/\(name)")
    }
  }

  /// The time when the bytes of the file at `path` were last changed, or the file was touched.
  static func changeDate(_ path: String) -> Date? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(information.st_mtim.tv_sec))
  }
}
