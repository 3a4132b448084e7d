import Crypto
import FarmAPI
import Foundation

/// The places where workers leave chunks instead of sending them: a folder for workers of this user on this host, and the
/// object store if there is one.
final class ChunkDeliveries: Sendable {
  /// The description of the folder that workers receive.
  let folder: ChunkFolder
  private let storage: any ObjectStorage

  /// Marks the folder at `path`, which belongs to this coordinator alone.
  ///
  /// - Throws: ``StorageError`` if the folder cannot be written.
  init(in path: String, storage: any ObjectStorage) throws(StorageError) {
    self.storage = storage
    folder = ChunkFolder(
      path: path, mark: "\(ChunkFolder.markPrefix)\(SecureRandom.token(bytes: 16))")
    let mark = "\(path)/\(folder.mark)"
    let descriptor = open(
      mark, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw StorageError("cannot create the file", mark) }
    close(descriptor)
  }

  /// The chunk that a worker left under a name; `nil` if there is none, or if it is a file of another user. Blocks.
  ///
  /// - Throws: ``StorageError`` if the object store cannot be asked now.
  func chunk(_ name: String) throws(StorageError) -> (any DeliveredChunkBytes)? {
    guard ChunkFolder.isFileName(name) else { return nil }
    if let file = DeliveredFile("\(folder.path)/\(name)", for: storage) { return file }
    return try (storage as? any SharedObjectStorage)?.delivery(name)
  }
}

/// A chunk's file that a worker left for the coordinator. The file is removed with this object, unless it was moved.
private final class DeliveredFile: DeliveredChunkBytes {
  private let path: String
  let byteCount: Int64
  private let storage: any ObjectStorage

  /// Looks at the file at `path`; `nil` if it is not a regular file of this user.
  init?(_ path: String, for storage: any ObjectStorage) {
    var information = stat()
    guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      information.st_uid == geteuid()
    else { return nil }
    self.path = path
    self.storage = storage
    byteCount = Int64(information.st_size)
  }

  deinit { discard() }

  func matches(_ digest: Digest) throws -> Bool { try Digest.of(file: path) == digest }

  func discard() { unlink(path) }

  func keep(as object: StoredObject, _ digest: Digest, note: String?) throws(StorageError) {
    try storage.keep(fileAt: path, as: object, note: note)
  }
}
