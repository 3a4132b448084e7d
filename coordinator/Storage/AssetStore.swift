import Crypto
import Foundation
import Synchronization

/// The assets, each under the SHA-256 of its bytes. Uploads may break off and go on later.
final class AssetStore: Sendable {
  private let directory: DataDirectory
  /// The uploads under way: of two of one asset, the later one goes on.
  private let uploads = Mutex<[Digest: AssetUpload]>([:])

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// Where a complete asset is or will be.
  func path(of digest: Digest) -> String { directory.assets.file(of: digest) }

  /// How large a complete asset is; `nil` where it is not there.
  func byteCount(of digest: Digest) -> Int64? { Self.size(path(of: digest)) }

  /// How much of an unfinished upload is there.
  func uploadedByteCount(of digest: Digest) -> Int64 { Self.size(partialPath(of: digest)) ?? 0 }

  func partialPath(of digest: Digest) -> String { "\(directory.uploads)/\(digest).part" }

  /// Begins or goes on with an upload. Blocks while what is there is hashed.
  func open(_ digest: Digest, total: Int64) throws(StorageError) -> AssetUpload {
    uploads.withLock { $0.removeValue(forKey: digest) }?.supersede()
    let upload = try AssetUpload(digest, total: total, store: self)
    uploads.withLock { $0[digest] = upload }
    return upload
  }

  /// Drops an unfinished upload.
  func discardUpload(of digest: Digest) {
    uploads.withLock { $0.removeValue(forKey: digest) }?.supersede()
    unlink(partialPath(of: digest))
  }

  /// Notes that an upload is over.
  func close(_ upload: AssetUpload) {
    uploads.withLock { if $0[upload.digest] === upload { $0[upload.digest] = nil } }
  }

  static func size(_ path: String) -> Int64? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(information.st_size)
  }
}
