import Crypto
import FarmAPI
import Foundation
import Synchronization

/// Keeps files that were damaged on the disk, so that they are not used and an operator can inspect them. Retention
/// removes them. Every call blocks.
final class Quarantine: Sendable {
  struct Entry: Hashable, Sendable {
    /// The kind of file: `asset`, `chunk`, `output`, `project` or `plan`.
    let kind: String
    /// The SHA-256 that the file should have.
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

  /// The number of files that were quarantined since the coordinator started.
  var count: Int { taken.withLock { $0 } }

  /// Quarantines the file at `path`.
  ///
  /// - Returns: whether it was moved.
  func take(_ path: String, kind: String, _ digest: Digest, because reason: String) -> Bool {
    let name = "\(kind)-\(digest)-\(SecureRandom.token(bytes: 6))"
    do throws(StorageError) {
      // Retention measures its age from now on.
      utimes(path, nil)
      try StagedFile.publish(path, as: "\(directory.quarantine)/\(name)")
    } catch {
      log.error("\(kind) \(digest): \(reason): cannot move it to the quarantine: \(error)")
      return false
    }
    taken.withLock { $0 += 1 }
    log.error("\(kind) \(digest): \(reason): moved to \(directory.quarantine)/\(name)")
    return true
  }

  /// Whether a damaged file with this digest is in the quarantine. Blocks.
  func contains(_ kind: String, _ digest: Digest) -> Bool {
    Self.entries(in: directory.path).contains { $0.kind == kind && $0.digest == digest }
  }

  /// The files in the quarantine of the data directory at `path`.
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
