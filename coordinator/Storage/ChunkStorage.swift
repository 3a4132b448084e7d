import Crypto

/// The result of reading an entire chunk.
package enum ChunkVerdict: Hashable, Sendable { case sound, damaged, missing }

/// Where the bytes of accepted chunks are kept, each under their SHA-256. ``ChunkFiles`` keeps them in files; another
/// storage, such as an S3 bucket, has to keep the same promises.
///
/// Calls block. They come from several threads at once, also for the same chunk.
package protocol ChunkStorage: Sendable {
  /// Whether a chunk exists. A chunk that cannot be examined now counts as existing.
  func contains(_ digest: Digest) -> Bool

  /// The number of bytes of a chunk; `nil` if it does not exist.
  func byteCount(of digest: Digest) -> Int64?

  /// Takes a file, whose bytes have this digest, into the storage. If it has the chunk already, either file may stay.
  ///
  /// When this returns, a crash or a power failure does not lose the chunk.
  ///
  /// - Throws: `StorageError`; the file may still be at its path.
  func keep(fileAt path: String, as digest: Digest) throws

  /// Reads an entire chunk. A damaged one is set aside: it does not exist afterwards.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache may have of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or `StorageError` if the chunk cannot be read now.
  func inspect(
    _ digest: Digest, fromDisk: Bool, pace: (Int) throws -> Void
  ) throws -> ChunkVerdict

  /// Puts a local file with the bytes of a chunk at a path for a process that reads it. Whoever asked removes the file;
  /// that does not change the storage.
  ///
  /// - Returns: whether the chunk exists.
  /// - Throws: an error if the file cannot be made.
  func lend(_ digest: Digest, at path: String) throws -> Bool

  /// Removes a chunk if it exists.
  func remove(_ digest: Digest)

  /// Removes all chunks but these.
  func removeAll(but needed: Set<Digest>)
}
