import Crypto
import FarmAPI
import Foundation
import Scheduling
import Synchronization

/// The finished files of jobs. Each is compared with the ledger's SHA-256 before it is delivered. Every call blocks.
final class OutputStore: Sendable {
  /// The result of reading a finished file.
  enum Verdict: Hashable, Sendable {
    case sound
    case missing
    /// The file with this inode number does not match its digest, and why.
    case damaged(inode: UInt64, String)

    /// What is wrong, as a phrase that completes "the finished file …"; `nil` if nothing is.
    var problem: String? {
      switch self {
      case .sound: nil
      case .missing: "is gone"
      case .damaged(_, let reason): reason
      }
    }
  }

  /// A file's identity in the file system. Writing to the file changes it.
  private struct Identity: Hashable {
    let inode: UInt64
    let byteCount: Int64
    let modified: Int64
    let changed: Int64

    /// Whether the file was not written to in between, although it may have been renamed.
    func isSameContent(as other: Identity) -> Bool {
      (inode, byteCount, modified) == (other.inode, other.byteCount, other.modified)
    }
  }

  private let quarantine: Quarantine
  /// The files that were found to be sound, by path.
  private let known = Mutex<[String: (identity: Identity, digest: Digest)]>([:])
  private static let mostKnown = 10_000

  init(quarantine: Quarantine) { self.quarantine = quarantine }

  /// Whether a finished file was found to match its digest, and has not been written to since.
  ///
  /// Bytes that change without a write are found by ``Scrubber``, which reads every file again.
  func isKnownSound(_ path: String, _ digest: Digest) -> Bool {
    guard let identity = Self.identity(path), let last = known.withLock({ $0[path] }) else {
      return false
    }
    return last.identity == identity && last.digest == digest
  }

  /// Reads an entire finished file, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the file from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the file is there and cannot be opened now.
  func inspect(
    _ path: String, _ digest: Digest, fromDisk: Bool = false,
    pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    let identity = Self.identity(path)
    let file: PacedReading
    do throws(PacedReading.OpeningFailure) {
      file = try PacedReading(opening: path)
    } catch {
      guard error.isAbsence else { throw StorageError("cannot read", path, error.number) }
      return .missing
    }
    if fromDisk { file.forget() }
    let problem: String
    do throws(PacedReading.Failure) {
      let found = try file.digest(pace: pace)
      if found == digest {
        if let identity { note(path, identity, digest) }
        return .sound
      }
      problem = "has changed: its SHA-256 is \(found)"
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): problem = "cannot be read: \(cause)"
      }
    }
    _ = known.withLock { $0.removeValue(forKey: path) }
    return .damaged(inode: file.inode, problem)
  }

  /// Brings a file that a child process has just written to the disk, under its final name.
  ///
  /// - Returns: the SHA-256 of what was written.
  /// - Throws: ``StorageError``, also if the file reads back differently than it was written.
  func take(_ path: String, writtenAs content: WrittenContent, to final: String) throws -> Digest {
    // The child may not have waited for the disk.
    try StagedFile.bringToDisk(path)
    let before = Self.identity(path)
    let blocks = try BlockDigests.of(file: path)
    guard blocks.written == content else {
      throw StorageError("the finished file reads back differently than it was written", path, EIO)
    }
    try StagedFile.publish(path, as: final)
    if let before, let after = Self.identity(final), after.isSameContent(as: before) {
      note(final, after, blocks.content)
    }
    return blocks.content
  }

  /// Moves the file that was found to be damaged to the quarantine, unless another one has taken its place.
  func setAside(_ path: String, _ digest: Digest, after verdict: Verdict) {
    guard case .damaged(let inode, let reason) = verdict else { return }
    quarantine.take(
      path, inode: inode, kind: "output", digest, because: "the finished file \(reason)")
  }

  private func note(_ path: String, _ identity: Identity, _ digest: Digest) {
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[path] = (identity, digest)
    }
  }

  private static func identity(_ path: String) -> Identity? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Identity(
      inode: UInt64(information.st_ino), byteCount: Int64(information.st_size),
      modified: nanoseconds(information.st_mtim), changed: nanoseconds(information.st_ctim))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
