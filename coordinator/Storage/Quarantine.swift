import Crypto
import Foundation
import Synchronization

/// Where files go whose bytes came to harm on the disk, so that nobody uses them and an operator can look at them. Retention
/// removes them. Every call blocks.
final class Quarantine: Sendable {
  /// What was set aside.
  struct Entry: Hashable, Sendable {
    /// What it was, `asset` or `chunk`.
    let kind: String
    /// Under which SHA-256.
    let digest: Digest
    let path: String
  }

  private let directory: DataDirectory
  private let log: Log
  private let taken = Mutex(0)

  init(_ directory: DataDirectory, log: Log) {
    self.directory = directory
    self.log = log
  }

  /// How many files were set aside since the coordinator started.
  var count: Int { taken.withLock { $0 } }

  /// Sets the file at `path` aside, if it is still the one that was found to be damaged.
  ///
  /// - Parameter inode: the file's number on its file system.
  /// - Returns: whether it was.
  @discardableResult
  func take(
    _ path: String, inode: UInt64, kind: String, _ digest: Digest, because reason: String
  ) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0, UInt64(information.st_ino) == inode else { return false }
    let name = "\(kind)-\(digest)-\(SecureRandom.token(bytes: 6))"
    do throws(StorageError) {
      // It counts as young from now on.
      utimes(path, nil)
      try StagedFile.publish(path, as: "\(directory.quarantine)/\(name)")
    } catch {
      log.error("\(kind) \(digest): \(reason): it cannot be moved to the quarantine: \(error)")
      return false
    }
    taken.withLock { $0 += 1 }
    log.error("\(kind) \(digest): \(reason): it was moved to \(directory.quarantine)/\(name)")
    return true
  }

  /// What is in the quarantine of the data directory at `path`.
  static func entries(in path: String) -> [Entry] {
    let folder = DataDirectory.quarantine(in: path)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      let parts = name.split(separator: "-", maxSplits: 2)
      guard parts.count == 3, let digest = Digest(hex: parts[1]) else { return nil }
      return Entry(kind: String(parts[0]), digest: digest, path: "\(folder)/\(name)")
    }
  }
}
