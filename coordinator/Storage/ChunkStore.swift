import Crypto
import Foundation
import Scheduling
import Synchronization

/// Stores accepted chunks, each under the SHA-256 of its bytes.
final class ChunkStore: Sendable {
  private let directory: DataDirectory
  private let quarantine: Quarantine
  /// The folder in which workers leave chunks.
  let deliveries: ChunkDeliveries
  /// The chunks whose bytes nobody has compared with their digests since their workers stated them.
  private let unread = Mutex<Set<Digest>>([])
  /// The events of the uploads that are in progress.
  let uploadEvents: AsyncStream<ChunkUploadEvent>
  private let reportUpload: AsyncStream<ChunkUploadEvent>.Continuation

  /// Opens the store of a data directory.
  ///
  /// - Throws: ``StorageError`` if the folder for delivered chunks cannot be written.
  init(_ directory: DataDirectory, quarantine: Quarantine) throws(StorageError) {
    self.directory = directory
    self.quarantine = quarantine
    deliveries = try ChunkDeliveries(in: directory.delivered)
    (uploadEvents, reportUpload) = AsyncStream.makeStream()
  }

  /// Reports an event of an upload.
  func note(_ kind: ChunkUploadEvent.Kind, of lease: LeaseToken) {
    reportUpload.yield(ChunkUploadEvent(lease: lease, kind: kind))
  }

  func path(of digest: Digest) -> String { directory.chunks.file(of: digest) }

  /// Whether a chunk exists. A chunk that the system cannot examine now counts as existing.
  func contains(_ digest: Digest) -> Bool { !PacedReading.isAbsent(path(of: digest)) }

  /// The result of reading an entire chunk.
  enum Verdict: Hashable, Sendable { case sound, damaged, missing }

  /// Whether a chunk exists and matches its digest. A damaged one is moved to the quarantine. Blocks.
  ///
  /// - Throws: ``StorageError`` if the chunk cannot be read now.
  func isSound(_ digest: Digest) throws -> Bool { try inspect(digest) { _ in } == .sound }

  /// Reads an entire chunk, and moves it to the quarantine if it is damaged. Blocks.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the chunk from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the chunk cannot be read now.
  func inspect(
    _ digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void
  ) throws -> Verdict {
    let path = path(of: digest)
    switch try PacedReading.compare(path, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound:
      noteRead(digest)
      return .sound
    case .missing: return .missing
    case .damaged(let inode, let damage):
      quarantine.take(path, inode: inode, kind: "chunk", digest, because: "\(damage)")
      return .damaged
    }
  }

  /// Whether nobody has read the chunk since its worker stated its digest. If such a chunk does not match its digest,
  /// its worker is to blame.
  func isUnread(_ digest: Digest) -> Bool { unread.withLock { $0.contains(digest) } }

  /// Notes that a chunk's bytes were read and match their digest.
  func noteRead(_ digest: Digest) { unread.withLock { _ = $0.remove(digest) } }

  /// Moves a chunk that a worker left in the folder for deliveries into the store. Its bytes are not read, because they
  /// are compared with the digest wherever they are used, unless they would replace a chunk that others may use.
  /// Blocks.
  ///
  /// - Returns: the reason why the chunk is not what the worker stated; `nil` if it was moved.
  /// - Throws: ``StorageError`` or `FileReadError`.
  func take(_ delivered: DeliveredFile, as digest: Digest) throws -> String? {
    let isNew = !contains(digest)
    if !isNew, try delivered.digest() != digest {
      return "the chunk's bytes do not match its digest"
    }
    if isNew { unread.withLock { _ = $0.insert(digest) } }
    try StagedFile.bringToDisk(delivered.path)
    try StagedFile.publish(delivered.path, as: path(of: digest))
    if !isNew { noteRead(digest) }
    return nil
  }

  /// A temporary file to receive a chunk in.
  func stage() throws(StorageError) -> StagedFile {
    try StagedFile("\(directory.uploads)/chunk-\(SecureRandom.token(bytes: 12))")
  }

  /// Removes all other chunks, which a coordinator that was killed left behind.
  func removeAll(but needed: Set<Digest>) {
    let manager = FileManager.default
    for folder in (try? manager.contentsOfDirectory(atPath: directory.chunks)) ?? [] {
      let folder = "\(directory.chunks)/\(folder)"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let digest = Digest(hex: name), !needed.contains(digest) { unlink("\(folder)/\(name)") }
      }
    }
  }

  /// Removes chunks that jobs no longer need.
  func remove(_ digests: [Digest]) {
    for digest in digests {
      noteRead(digest)
      unlink(path(of: digest))
    }
  }
}
