import Crypto
import FarmAPI
import Foundation
import Scheduling
import Synchronization

/// The finished files of jobs, which are compared with the ledger's SHA-256 before anybody gets them. Every call blocks.
final class OutputStore: Sendable {
  /// What reading a finished file has shown.
  enum Verdict: Hashable, Sendable {
    case sound
    /// It is gone, or its bytes are not those of its digest, for a reason that completes "the finished file …".
    case damaged(String)
  }

  /// What the file system says of a file. Whoever writes to the file changes it.
  private struct Identity: Hashable {
    let inode: UInt64
    let byteCount: Int64
    let modified: Int64
    let changed: Int64
  }

  private let quarantine: Quarantine
  private let clock: @Sendable () -> Duration
  /// The files that were found to be sound, and when, by their paths.
  private let known = Mutex<[String: (identity: Identity, digest: Digest, time: Duration)]>([:])
  private static let mostKnown = 10_000
  /// For how long a file that was found to be sound is not read again: a player asks for many parts of it.
  private static let trust = Duration.seconds(600)

  /// - Parameter clock: a steady clock.
  init(quarantine: Quarantine, clock: @escaping @Sendable () -> Duration) {
    self.quarantine = quarantine
    self.clock = clock
  }

  /// Whether a finished file has the bytes of its digest. It is read whole, unless it was a short while ago and nobody has
  /// written to it since.
  ///
  /// - Throws: ``StorageError`` if that cannot be found out now.
  func check(_ path: String, _ digest: Digest) throws -> Verdict {
    if let identity = Self.identity(path),
      let last = known.withLock({ $0[path] }), last.identity == identity, last.digest == digest,
      clock() - last.time < Self.trust
    {
      return .sound
    }
    return try inspect(path, digest) { _ in }
  }

  /// Reads a finished file whole.
  ///
  /// - Parameter pace: is told of bytes before they are read; what it throws ends the reading.
  /// - Throws: what `pace` throws; ``StorageError`` if the file cannot be opened now.
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
      guard found == digest else { return .damaged("has other bytes: their SHA-256 is \(found)") }
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): return .damaged("cannot be read: \(cause)")
      }
    }
    if let identity { note(path, identity, digest) }
    return .sound
  }

  /// Notes that a file was just written with the bytes of a digest.
  func noteSound(_ path: String, _ digest: Digest) {
    if let identity = Self.identity(path) { note(path, identity, digest) }
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
