import Crypto
import FarmAPI

/// A storage that workers can reach, so that their bytes need not pass through the coordinator.
///
/// Calls block.
protocol SharedObjectStorage: ObjectStorage {
  /// Returns a presigned request that reads an object for a limited time.
  ///
  /// - Throws: ``StorageError`` if it cannot be signed now.
  func link(to object: StoredObject) throws(StorageError) -> StorageLink

  /// Returns a presigned request that uploads a chunk under a name for a limited time.
  ///
  /// - Throws: ``StorageError`` if it cannot be signed now.
  func link(
    toDeliver name: String, _ digest: Digest, byteCount: Int64
  ) throws(StorageError) -> StorageLink

  /// Moves a local file into the storage with a note. See ``ObjectStorage/keep(fileAt:as:)``.
  ///
  /// - Parameter note: an ASCII text of at most 1,500 characters.
  func keep(fileAt path: String, as object: StoredObject, noting note: String) throws(StorageError)

  /// The note of an object; `nil` if it has none or does not exist.
  ///
  /// - Throws: ``StorageError`` if it cannot be examined now.
  func note(of object: StoredObject) throws(StorageError) -> String?

  /// A chunk that a worker uploaded under a name; `nil` if there is none.
  ///
  /// - Throws: ``StorageError`` if it cannot be examined now.
  func delivery(_ name: String) throws(StorageError) -> (any DeliveredChunkBytes)?
}

/// The bytes of a chunk that a worker left for the coordinator.
protocol DeliveredChunkBytes: AnyObject {
  /// The length in bytes.
  var byteCount: Int64 { get }

  /// Whether their SHA-256 is `digest`. Blocks.
  ///
  /// - Throws: an error if they cannot be read now.
  func matches(_ digest: Digest) throws -> Bool

  /// Makes them an object, in place of any object with that name. Blocks.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 that the worker stated.
  ///   - note: a text to store with the object. A storage on disk drops it.
  func keep(as object: StoredObject, _ digest: Digest, note: String?) throws(StorageError)

  /// Removes them, because they are not needed. Blocks.
  func discard()
}
