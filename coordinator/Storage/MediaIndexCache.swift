import Crypto
import Foundation
import Preparation

/// Stores media indexes by the digest of their assets. Each is in a file that ends with the SHA-256 of the bytes before
/// it. Every call blocks.
final class MediaIndexCache: Sendable {
  private let storage: any ObjectStorage
  /// A cache with indexes that may not be in the storage; `nil` if there is none.
  private let shared: MediaCache?

  init(in storage: any ObjectStorage, _ shared: MediaCache? = nil) {
    self.storage = storage
    self.shared = shared
  }

  /// The path of a file with an asset's index, or `nil` if there is none or another version built it. See
  /// ``ObjectStorage/localPath(of:)``.
  func localPath(of digest: Digest) -> String? {
    let object = StoredObject(.index, digest)
    guard let path = try? storage.localPath(of: object), MediaIndexFile.isCurrent(path) else {
      return shared?.index(of: digest)
    }
    // Marks it as recently used for ``Retention``.
    storage.touch(object)
    return path
  }

  /// The path of a file with an index that was just stored; `nil` if it was removed since.
  func localPath(ofNew digest: Digest) throws(StorageError) -> String? {
    try storage.localPath(of: StoredObject(.index, digest))
  }

  /// Stores an index from a media process that has ended.
  func keep(_ path: String, of digest: Digest) throws(StorageError) {
    try storage.keep(fileAt: path, as: StoredObject(.index, digest))
  }

  /// Whether there is an index of this version and it is damaged. Reads what is stored.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func isDamaged(_ digest: Digest, pace: (Int) throws -> Void) throws -> Bool {
    let object = StoredObject(.index, digest)
    guard let reading = try? storage.reading(of: object, fromDisk: true) else { return false }
    do throws(PacedReading.Failure) {
      guard try !reading.file.endsWithItsDigest(pace: pace) else { return false }
    } catch {
      guard case .interrupted(let error) = error else { return true }
      throw error
    }
    // Another version's index is not used.
    return (try? storage.localPath(of: object)).map(MediaIndexFile.isCurrent) ?? false
  }

  /// The time when an index was stored or last used; `nil` if there is none.
  func date(of digest: Digest) -> Date? {
    (try? storage.facts(of: StoredObject(.index, digest)))?.date
  }

  /// Removes an index that cannot be read, or whose asset is missing.
  func remove(_ digest: Digest) {
    storage.discard(StoredObject(.index, digest))
    shared?.removeIndex(of: digest)
  }
}
