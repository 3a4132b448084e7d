import Crypto
import FarmAPI
import Foundation

/// The folder in which workers of this user on this host leave chunks instead of sending them.
final class ChunkDeliveries: Sendable {
  /// The description of the folder that workers receive.
  let folder: ChunkFolder

  /// Marks the folder at `path`, which belongs to this coordinator alone.
  ///
  /// - Throws: ``StorageError`` if the folder cannot be written.
  init(in path: String) throws(StorageError) {
    folder = ChunkFolder(
      path: path, mark: "\(ChunkFolder.markPrefix)\(SecureRandom.token(bytes: 16))")
    let mark = "\(path)/\(folder.mark)"
    let descriptor = open(
      mark, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw StorageError("cannot create the file", mark) }
    close(descriptor)
  }

  /// The file that a worker left under a name; `nil` if there is none, or if it belongs to another user. Blocks.
  func file(_ name: String) -> DeliveredFile? {
    guard ChunkFolder.isFileName(name) else { return nil }
    return DeliveredFile("\(folder.path)/\(name)")
  }
}

/// A chunk's file that a worker left for the coordinator. The file is removed with this object, unless it was moved.
final class DeliveredFile {
  let path: String
  /// Its length in bytes.
  let byteCount: Int64

  /// Looks at the file at `path`; `nil` if it is not a regular file of this user.
  init?(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      information.st_uid == geteuid()
    else { return nil }
    self.path = path
    byteCount = Int64(information.st_size)
  }

  deinit { unlink(path) }

  /// The SHA-256 of its bytes. Blocks.
  func digest() throws -> Digest { try Digest.of(file: path) }
}
