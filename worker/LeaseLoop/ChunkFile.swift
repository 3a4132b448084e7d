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
    let name = SecureRandom.bytes(16).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    .joined()
    let path = "\(folder.path)/\(name)"
    let isLinked = try await BlockingThread.run(named: "link") {
      Self.isShared(folder) && file.link(to: path)
    }
    guard isLinked else { return nil }
    self.name = name
    self.path = path
  }

  deinit { unlink(path) }

  /// Whether the folder has the coordinator's mark, and the mark belongs to this process's user.
  private static func isShared(_ folder: ChunkFolder) -> Bool {
    var information = stat()
    return lstat("\(folder.path)/\(folder.mark)", &information) == 0
      && information.st_mode & S_IFMT == S_IFREG && information.st_uid == geteuid()
  }
}
