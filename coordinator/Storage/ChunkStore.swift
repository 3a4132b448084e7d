import Crypto
import Foundation
import Scheduling
import Synchronization

/// Stores accepted chunks, each under the SHA-256 of its bytes.
final class ChunkStore: Sendable {
  private let storage: any ObjectStorage
  /// The folder in which chunks are received, and in which files that are lent are.
  private let folder: String
  /// The folder in which workers leave chunks.
  let deliveries: ChunkDeliveries
  /// The chunks whose bytes nobody has compared with their digests since their workers stated them.
  private let unread = Mutex<Set<Digest>>([])
  /// The events of the uploads that are in progress.
  let uploadEvents: AsyncStream<ChunkUploadEvent>
  private let reportUpload: AsyncStream<ChunkUploadEvent>.Continuation

  /// Opens the store.
  ///
  /// - Parameter directory: the directory in which chunks arrive.
  /// - Throws: ``StorageError`` if the folder for delivered chunks cannot be written.
  init(in storage: any ObjectStorage, _ directory: DataDirectory) throws(StorageError) {
    self.storage = storage
    folder = directory.uploads
    deliveries = try ChunkDeliveries(in: directory.delivered, storage: storage)
    (uploadEvents, reportUpload) = AsyncStream.makeStream()
  }

  /// Reports an event of an upload.
  func note(_ kind: ChunkUploadEvent.Kind, of lease: LeaseToken) {
    reportUpload.yield(ChunkUploadEvent(lease: lease, kind: kind))
  }

  /// Whether the chunks are on the disk of the data directory.
  var isOnDisk: Bool { storage.isOnDisk }

  /// Removes local copies of stored files until a number of bytes is free. Blocks.
  func removeLocalCopies(freeing byteCount: Int64) { storage.makeRoom(byteCount) }

  /// Whether a chunk exists. A chunk that the system cannot examine now counts as existing.
  func contains(_ digest: Digest) -> Bool { storage.contains(StoredObject(.chunk, digest)) }

  /// The number of bytes of a chunk; `nil` if it does not exist.
  func byteCount(of digest: Digest) -> Int64? {
    storage.byteCount(of: StoredObject(.chunk, digest))
  }

  /// Whether a chunk exists and matches its digest. A damaged one is moved to the quarantine. Blocks.
  ///
  /// - Throws: ``StorageError`` if the chunk cannot be read now.
  func isSound(_ digest: Digest) throws -> Bool { try inspect(digest) { _ in } == .sound }

  /// Reads an entire chunk, and moves it to the quarantine if it is damaged. Blocks.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache has of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the chunk cannot be read now.
  func inspect(
    _ digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void
  ) throws -> ObjectVerdict {
    let verdict = try storage.inspect(.chunk, digest, fromDisk: fromDisk, pace: pace)
    if verdict == .sound { noteRead(digest) }
    return verdict
  }

  /// Whether nobody has read the chunk since its worker stated its digest. If such a chunk does not match its digest,
  /// its worker is to blame.
  func isUnread(_ digest: Digest) -> Bool { unread.withLock { $0.contains(digest) } }

  /// Notes that a chunk's bytes were read and match their digest.
  func noteRead(_ digest: Digest) { unread.withLock { _ = $0.remove(digest) } }

  /// Takes a chunk that a worker left into the store. Its bytes are not read, because they
  /// are compared with the digest wherever they are used, unless they would replace a chunk that others may use.
  /// Blocks.
  ///
  /// - Returns: the reason why the chunk is not what the worker stated; `nil` if it was taken.
  /// - Throws: ``StorageError`` or `FileReadError`.
  func take(
    _ delivered: any DeliveredChunkBytes, as digest: Digest, _ note: String?
  ) throws -> String? {
    let isNew = !contains(digest)
    if !isNew {
      guard try delivered.matches(digest) else {
        return "the chunk's bytes do not match its digest"
      }
      if !isOnDisk, try isSound(digest) {
        delivered.discard()
        return nil
      }
    }
    if isNew { unread.withLock { _ = $0.insert(digest) } }
    try delivered.keep(as: StoredObject(.chunk, digest), digest, note: note)
    if !isNew { noteRead(digest) }
    return nil
  }

  /// A temporary file to receive a chunk in.
  func stage() throws(StorageError) -> StagedFile {
    try StagedFile("\(folder)/chunk-\(SecureRandom.token(bytes: 12))")
  }

  /// Takes a chunk that was received and has this digest into the store. Blocks.
  func keep(_ chunk: StagedFile, as digest: Digest, _ note: String?) throws {
    try storage.keep(fileAt: chunk.path, as: StoredObject(.chunk, digest), note: note)
    noteRead(digest)
  }

  /// Puts a local file with a chunk's bytes at a path. Whoever asked removes it. Blocks.
  ///
  /// - Returns: whether the chunk exists.
  func lend(_ digest: Digest, at path: String) throws -> Bool {
    try storage.lend(StoredObject(.chunk, digest), at: path)
  }

  /// A name for a file that is lent for a short time. Retention removes what a coordinator that was killed left.
  func nameToLend() -> String { "\(folder)/lent-\(SecureRandom.token(bytes: 12))" }

  /// The stored chunks that are not in `needed`, newest first. Blocks.
  func chunks(besides needed: Set<Digest>) -> [DeliveredChunk] {
    var found: [(date: Date, chunk: DeliveredChunk)] = []
    storage.forEach(of: .chunk) { entry in
      guard let digest = entry.object.digest, !needed.contains(digest) else { return }
      found.append(
        (entry.date, DeliveredChunk(sha256: digest, byteCount: entry.byteCount, concealments: nil)))
    }
    return found.sorted { $0.date > $1.date }.map(\.chunk)
  }

  /// The note that was stored with a chunk; `nil` if it has none. Blocks.
  ///
  /// - Throws: ``StorageError`` if the object store cannot be reached now.
  func note(of digest: Digest) throws(StorageError) -> String? {
    guard let shared = storage as? any SharedObjectStorage else { return nil }
    return try shared.note(of: StoredObject(.chunk, digest))
  }

  /// Removes all other chunks, which a coordinator that was killed left behind.
  func removeAll(but needed: Set<Digest>) {
    storage.removeSoon(chunks(besides: needed).map { StoredObject(.chunk, $0.sha256) })
  }

  /// Removes chunks that jobs no longer need.
  func remove(_ digests: [Digest]) {
    for digest in digests { noteRead(digest) }
    storage.removeSoon(digests.map { StoredObject(.chunk, $0) })
  }
}
