import Crypto
import Foundation
import Media
import Recording

/// The folder of a part of a recording: its header and its fragments.
struct FragmentFolder: Sendable {
  let path: String
  /// Whether files are flushed to disk.
  let isDurable: Bool

  /// The ending of a file's name until the file is complete.
  private static let partial = ".partial"

  /// Creates the folder, and removes incomplete files that an interrupted writer left in it.
  func prepare() throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
      for name in try FileManager.default.contentsOfDirectory(atPath: path)
      where name.hasSuffix(Self.partial) {
        unlink(file(name))
      }
    } catch {
      throw MediaError(
        .writeFailed, "cannot create the folder of the recording", on: path,
        remedy: "check its parent folder's permissions and free space",
        cause: (error as NSError).localizedDescription)
    }
  }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file under a temporary name, flushes it to disk, and renames it.
  ///
  /// - Returns: the SHA-256 of the bytes.
  func write(_ bytes: [UInt8], as name: String) throws -> Digest {
    let (temporary, final) = (file(name + Self.partial), file(name))
    do {
      let file = try HashedFile(temporary)
      try bytes.withUnsafeBytes { try file.write($0) }
      if isDurable { try file.synchronize() }
      guard rename(temporary, final) == 0 else { throw FileWriteError(path: final, number: errno) }
      if isDurable { try synchronize() }
      return file.finish()
    } catch let error as FileWriteError {
      unlink(temporary)
      throw MediaError(
        .writeFailed, "cannot write the recording", on: error.path,
        remedy: "check the disk's free space and its permissions", systemError: error.number)
    }
  }

  /// Flushes the names in the folder to disk.
  private func synchronize() throws(FileWriteError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileWriteError(path: path, number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileWriteError(path: path, number: errno) }
  }

  /// Removes the folder with everything in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
