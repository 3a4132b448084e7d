import Crypto
import FarmAPI
import Foundation
import Threads

/// A chunk's file in the coordinator's folder for chunks. Its name is removed with this object; the coordinator has
/// moved the file by then if it took it.
final class ChunkFile: Sendable {
  /// Its name in the folder.
  let name: String
  private let path: String

  /// Links a chunk's file into the coordinator's folder.
  ///
  /// - Returns: `nil` if this worker does not share the folder, or the folder is on another file system.
  init?(linking file: UnlinkedFile, in folder: ChunkFolder) async throws {
    let name = ChunkFolder.newFileName()
    let path = "\(folder.path)/\(name)"
    let isLinked = try await BlockingThread.run(named: "link") {
      Self.isShared(folder) && file.link(to: path)
    }
    guard isLinked else { return nil }
    self.name = name
    self.path = path
  }

  deinit { unlink(path) }

  /// Whether only this process's user can use the folder, and it has the coordinator's mark. A coordinator could name
  /// any folder.
  private static func isShared(_ folder: ChunkFolder) -> Bool {
    guard folder.path.hasPrefix("/"), ChunkFolder.isMarkName(folder.mark) else { return false }
    var (directory, mark) = (stat(), stat())
    return lstat(folder.path, &directory) == 0 && directory.st_mode & S_IFMT == S_IFDIR
      && directory.st_uid == geteuid() && directory.st_mode & 0o077 == 0
      && lstat("\(folder.path)/\(folder.mark)", &mark) == 0
      && mark.st_mode & S_IFMT == S_IFREG && mark.st_uid == geteuid()
  }
}
