import Crypto
import FarmAPI
import Foundation
import Scheduling
import Threads

/// The finished files of jobs. Each is compared with the ledger's SHA-256 before it is delivered. Calls block unless
/// they are asynchronous.
final class OutputStore: Sendable {
  /// The result of reading a finished file.
  enum Verdict: Hashable, Sendable {
    case sound
    case missing
    /// The file with this inode number does not match its digest, for the given reason.
    case damaged(inode: UInt64, String)

    /// The problem, as a phrase that completes "the finished file …", or `nil` if the file is sound.
    var problem: String? {
      switch self {
      case .sound: nil
      case .missing: "is missing"
      case .damaged(_, let reason): reason
      }
    }
  }

  private let quarantine: Quarantine
  private let known = SoundFiles()

  init(quarantine: Quarantine) { self.quarantine = quarantine }

  /// Whether a finished file was found to match its digest, and has not been written to since.
  func isKnownSound(_ path: String, _ digest: Digest) -> Bool { known.contains(path, digest) }

  /// Reads an entire finished file, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the file from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the file exists but cannot be read now.
  func inspect(
    _ path: String, _ digest: Digest, fromDisk: Bool = false,
    pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    let identity = FileIdentity(path)
    switch try PacedReading.compare(path, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound:
      if let identity { known.insert(path, identity, digest) }
      return .sound
    case .missing: return .missing
    case .damaged(let inode, let damage):
      known.remove(path)
      let reason =
        switch damage {
        case .changed: "has changed: \(damage)"
        case .unreadable(let cause): "cannot be read: \(cause)"
        }
      return .damaged(inode: inode, reason)
    }
  }

  /// Brings a file that a child process has just written to disk under its final name. Does not block.
  ///
  /// - Returns: the SHA-256 of the written bytes.
  /// - Throws: ``StorageError``, also if the file does not read back as it was written.
  func take(
    _ path: String, writtenAs content: WrittenContent, to final: String
  ) async throws -> Digest {
    let before = try await BlockingThread.run(named: "output") {
      // The child may have ended before the file was on disk.
      try StagedFile.bringToDisk(path)
      return FileIdentity(path)
    }
    let found = try await ReadBack(path)
    guard found.content == content else {
      throw StorageError(
        "the finished file read back from the disk differs from what was written", path, EIO)
    }
    try await BlockingThread.run(named: "output") { [known] in
      try StagedFile.publish(path, as: final)
      if let before, let after = FileIdentity(final), after.isSameContent(as: before) {
        known.insert(final, after, found.sha256)
      }
    }
    return found.sha256
  }

  /// Moves a damaged file to the quarantine, unless another file has taken its place.
  func setAside(_ path: String, _ digest: Digest, after verdict: Verdict) {
    guard case .damaged(let inode, let reason) = verdict else { return }
    quarantine.take(
      path, inode: inode, kind: "output", digest, because: "the finished file \(reason)")
  }
}
