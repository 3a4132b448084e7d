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
    /// This version of the file does not match its digest, for the given reason.
    case damaged(ObjectVersion, String)

    /// The problem, as a phrase that completes "the finished file …", or `nil` if the file is sound.
    var problem: String? {
      switch self {
      case .sound: nil
      case .missing: "is missing"
      case .damaged(_, let reason): reason
      }
    }
  }

  private let storage: any ObjectStorage
  private let known: SoundObjects

  init(in storage: any ObjectStorage) {
    self.storage = storage
    known = SoundObjects(in: storage)
  }

  /// The path of a file with a finished file; `nil` if it is missing. See ``ObjectStorage/localPath(of:)``.
  func localPath(of output: StoredObject) throws(StorageError) -> String? {
    try storage.localPath(of: output)
  }

  /// Whether a finished file was found to match its digest, and has not been written to since.
  func isKnownSound(_ output: StoredObject, _ digest: Digest) -> Bool {
    known.contains(output, digest)
  }

  /// Whether a descriptor has the stored file open that was found to match its digest, and has not been written to since.
  /// Always false for an object store, whose local copies may be of any age.
  func isKnownSound(_ output: StoredObject, _ digest: Digest, openAs descriptor: Int32) -> Bool {
    var facts = stat()
    guard storage.isOnDisk, isKnownSound(output, digest), fstat(descriptor, &facts) == 0,
      let path = try? storage.localPath(of: output)
    else { return false }
    // They differ if another file has taken its place.
    return FileIdentity(path) == FileIdentity(facts)
  }

  /// Reads an entire finished file, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache has of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the file exists but cannot be read now.
  func inspect(
    _ output: StoredObject, _ digest: Digest, fromDisk: Bool = false,
    pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    switch try storage.compare(output, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound(let version):
      known.insert(output, version, digest)
      return .sound
    case .missing: return .missing
    case .damaged(let version, let damage):
      known.remove(output)
      let reason =
        switch damage {
        case .changed: "has changed: \(damage)"
        case .unreadable(let cause): "cannot be read: \(cause)"
        }
      return .damaged(version, reason)
    }
  }

  /// Stores a file that a child process has just written. Does not block.
  ///
  /// - Returns: the SHA-256 of the written bytes.
  /// - Throws: ``StorageError``, also if the file does not read back as it was written.
  func take(
    _ path: String, writtenAs content: WrittenContent, as output: StoredObject
  ) async throws -> Digest {
    try await BlockingThread.run(named: "output") { [storage, known] in
      // The child may have ended before the file was on disk.
      try StagedFile.bringToDisk(path)
      let before = FileIdentity(path)
      let file = try ReadBack(of: path, fromDisk: Durability.isRequired(of: path))
      guard file.content == content else {
        throw StorageError(
          "the finished file read back from the disk differs from what was written", path, EIO)
      }
      let isAsRead = before != nil && FileIdentity(path) == before
      try storage.keep(fileAt: path, as: output)
      if isAsRead, let facts = try? storage.facts(of: output),
        facts.byteCount == content.byteCount
      {
        known.insert(output, facts.version, file.sha256)
      }
      return file.sha256
    }
  }

  /// Removes a finished file that no job has.
  func discard(_ output: StoredObject) { storage.discard(output) }

  /// Moves a damaged file to the quarantine, unless another file has taken its place.
  func setAside(_ output: StoredObject, _ digest: Digest, after verdict: Verdict) {
    guard case .damaged(let version, let reason) = verdict else { return }
    storage.setAside(output, version, digest, because: "the finished file \(reason)")
  }

  /// Prepares the removal of the finished file of a job.
  func removal(of job: String) -> OutputRemoval { OutputRemoval(of: job, in: storage) }
}
