import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Scheduling
import Synchronization

/// A chunk that is being delivered: its bytes and the list of concealments that follows them, or the name of its file
/// in the folder for deliveries.
final class ChunkUpload: BodySink {
  /// The result of checking the bytes.
  enum Outcome: Hashable, Sendable {
    /// The chunk is on disk, or was accepted before.
    case stored(DeliveredChunk)
    /// The content does not match the manifest, for the given reason.
    case invalid(String)
    /// The bytes do not match their digest, for the given reason.
    case damaged(String)
    /// The file is not in the folder for deliveries.
    case absent
  }

  /// The parts of the upload that have arrived.
  private struct Arrival {
    let chunk: StagedFile
    /// The list of concealments.
    var list = Data()
  }

  let manifest: ChunkManifest
  private let lease: LeaseToken
  private let notedAt = Mutex<ContinuousClock.Instant?>(nil)
  private let store: ChunkStore
  private let isWanted: Bool
  /// The note to store with the chunk.
  private let note: String?
  /// `nil` if the bytes are not needed.
  private let arrival: Mutex<Arrival?>
  /// The name of the chunk's file in the folder for deliveries; `nil` if the chunk is sent.
  private let file: String?

  /// - Parameters:
  ///   - file: the name of the chunk's file in the folder for deliveries; `nil` if the chunk is sent.
  ///   - offer: the farm's answer. If the chunk was accepted before, its bytes are read and dropped.
  init(
    _ manifest: ChunkManifest, under lease: LeaseToken, in file: String?, store: ChunkStore,
    _ offer: ChunkOffer
  ) throws(StorageError) {
    self.manifest = manifest
    self.lease = lease
    self.store = store
    self.file = file
    (isWanted, note) =
      switch offer {
      case .wanted(let note): (true, note)
      case .acceptedBefore: (false, nil)
      }
    arrival = Mutex(isWanted && file == nil ? Arrival(chunk: try store.stage()) : nil)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard file == nil else {
      let problem = "a chunk that is in a file must have no body"
      store.note(.refused(problem), of: lease)
      throw UploadError(code: .invalidChunk, message: problem)
    }
    try arrival.withLock { arrival in
      guard let chunk = arrival?.chunk, let listed = arrival?.list.count else { return }
      guard chunk.byteCount + Int64(listed + bytes.count) <= manifest.bodyByteCount else {
        let problem = "the body has more than the \(manifest.bodyByteCount) bytes of its manifest"
        store.note(.refused(problem), of: lease)
        throw UploadError(code: .invalidChunk, message: problem)
      }
      let split = Int(min(Int64(bytes.count), manifest.byteCount - chunk.byteCount))
      try chunk.write(UnsafeRawBufferPointer(rebasing: bytes[..<split]))
      arrival?.list.append(contentsOf: bytes[split...])
    }
    let now = ContinuousClock.now
    let isNews = notedAt.withLock { notedAt in
      if let notedAt, now - notedAt < .seconds(1) { return false }
      notedAt = now
      return true
    }
    if isNews { store.note(.arriving, of: lease) }
  }

  func abandon() {
    arrival.withLock { $0.take() }?.chunk.discard()
  }

  /// Checks the bytes, and brings the chunk to disk or returns what is wrong with it. Blocks.
  func finish() throws -> Outcome {
    if let file, isWanted { return try take(file) }
    guard let arrival = arrival.withLock({ $0.take() }) else { return .stored(delivered(nil)) }
    let outcome = check(arrival)
    guard case .stored = outcome else {
      arrival.chunk.discard()
      return outcome
    }
    try store.keep(arrival.chunk, as: manifest.sha256, note)
    return outcome
  }

  private func take(_ name: String) throws -> Outcome {
    guard manifest.concealments == nil else {
      return .invalid("a chunk with a list of concealments must be sent")
    }
    guard let delivered = try store.deliveries.chunk(name) else { return .absent }
    guard delivered.byteCount == manifest.byteCount else {
      return .invalid(
        "the file has \(delivered.byteCount) bytes, but its manifest states \(manifest.byteCount)")
    }
    if let problem = try store.take(delivered, as: manifest.sha256, note) {
      return .invalid(problem)
    }
    return .stored(self.delivered(nil))
  }

  private func check(_ arrival: Arrival) -> Outcome {
    let byteCount = arrival.chunk.byteCount + Int64(arrival.list.count)
    guard byteCount == manifest.bodyByteCount else {
      return .invalid(
        "the body has \(byteCount) bytes, but its manifest states \(manifest.bodyByteCount)")
    }
    guard arrival.chunk.digest() == manifest.sha256 else {
      return .damaged("the chunk's bytes do not match its digest")
    }
    guard let stamp = manifest.concealments else { return .stored(delivered(nil)) }
    guard Digest.of(arrival.list) == stamp.sha256 else {
      return .damaged("the list of concealments does not match its digest")
    }
    do {
      let list = try ConcealmentList(reading: arrival.list)
      return .stored(delivered(try StoredConcealments(list.concealments)))
    } catch {
      return .invalid("the list of concealments cannot be read")
    }
  }

  private func delivered(_ concealments: StoredConcealments?) -> DeliveredChunk {
    DeliveredChunk(
      sha256: manifest.sha256, byteCount: manifest.byteCount, concealments: concealments,
      log: manifest.log.map { String(decoding: $0, as: UTF8.self) })
  }
}
