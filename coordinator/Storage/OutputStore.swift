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
    /// The file is missing or does not match its digest; the reason is a phrase that completes "the finished file …".
    case damaged(String)
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
  private let clock: @Sendable () -> Duration
  /// The files that were found to be sound, and when, by path.
  private let known = Mutex<[String: (identity: Identity, digest: Digest, time: Duration)]>([:])
  private static let mostKnown = 10_000
  /// How long a file that was found to be sound is not read again, because a player requests many parts of it.
  private static let trust = Duration.seconds(600)

  /// - Parameter clock: a monotonic clock.
  init(quarantine: Quarantine, clock: @escaping @Sendable () -> Duration) {
    self.quarantine = quarantine
    self.clock = clock
  }

  /// Checks whether a finished file matches its digest. Reads the entire file, unless that was done recently and the
  /// file has not been written to since.
  ///
  /// - Throws: ``StorageError`` if the file cannot be read now.
  func check(_ path: String, _ digest: Digest) throws -> Verdict {
    if let identity = Self.identity(path),
      let last = known.withLock({ $0[path] }), last.identity == identity, last.digest == digest,
      clock() - last.time < Self.trust
    {
      return .sound
    }
    return try inspect(path, digest) { _ in }
  }

  /// Reads an entire finished file.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the file cannot be opened now.
  func inspect(_ path: String, _ digest: Digest, pace: (Int) throws -> Void) throws -> Verdict {
    let identity = Self.identity(path)
    guard let file = PacedReading(path) else {
      let number = errno
      guard number == ENOENT || identity == nil else {
        throw StorageError("cannot read", path, number)
      }
      return .damaged("is gone")
    }
    defer { file.forget() }
    do throws(PacedReading.Failure) {
      let found = try file.digest(pace: pace)
      guard found == digest else { return .damaged("has changed: its SHA-256 is \(found)") }
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): return .damaged("cannot be read: \(cause)")
      }
    }
    if let identity { note(path, identity, digest) }
    return .sound
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

  /// Moves a damaged file to the quarantine, if it is still there.
  func setAside(_ path: String, _ digest: Digest, because reason: String) {
    guard let identity = Self.identity(path) else { return }
    _ = known.withLock { $0.removeValue(forKey: path) }
    quarantine.take(
      path, inode: identity.inode, kind: "output", digest, because: "the finished file \(reason)")
  }

  private func note(_ path: String, _ identity: Identity, _ digest: Digest) {
    let time = clock()
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[path] = (identity, digest, time)
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
