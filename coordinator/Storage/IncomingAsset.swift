import Crypto
import FarmAPI
import Foundation
import HTTP
import Synchronization

/// An asset that is being uploaded, or the rest of one.
final class IncomingAsset: BodySink {
  let digest: Digest
  /// The path of the bytes until the upload is complete.
  let path: String
  let total: Int64
  private let store: AssetStore
  private let file: Mutex<StagedFile?>
  private let lastArrival = Mutex(ContinuousClock.now)
  private let hasEnded = Atomic(false)

  init(
    _ digest: Digest, at path: String, total: Int64, store: AssetStore,
    while isWanted: () -> Bool = { true }
  ) throws(StorageError) {
    self.digest = digest
    self.path = path
    self.total = total
    self.store = store
    file = Mutex(try StagedFile(path, keeping: true, hashingBlocks: true, while: isWanted))
  }

  /// The number of bytes that have arrived.
  var byteCount: Int64 {
    file.withLock { $0?.byteCount } ?? FileFacts.byteCount(at: path) ?? 0
  }

  /// Whether bytes have arrived recently or the asset is being brought to disk, so that another request has to wait.
  ///
  /// - Parameter patience: the time without a byte after which another request does not have to wait.
  func isUnderWay(patience: Duration) -> Bool {
    hasEnded.load(ordering: .relaxed)
      || lastArrival.withLock { ContinuousClock.now - $0 } < patience
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    lastArrival.withLock { $0 = .now }
    try file.withLock { file in
      guard let file else { throw UploadError.offset(FileFacts.byteCount(at: path) ?? 0) }
      guard file.byteCount + Int64(bytes.count) <= total else {
        throw UploadError(
          code: .tooLarge,
          message: "more bytes arrived than the \(total) in Upload-Length: \(digest)")
      }
      try file.write(bytes)
    }
  }

  /// Keeps the bytes that have arrived for the next attempt.
  func abandon() {
    supersede()
    store.close(self)
  }

  /// Detaches the file, because another upload continues it.
  func supersede() {
    file.withLock { $0 = nil }
  }

  /// The outcome of an upload.
  enum Outcome {
    case complete
    case incomplete(Int64)
    case mismatch(Digest)
  }

  /// Records that no more bytes will come. Until ``finish()`` or ``abandon()`` is called, other requests have to wait.
  func noteEnd() { hasEnded.store(true, ordering: .relaxed) }

  /// Ends the upload. Blocks until the asset is on disk. An asset that already exists is read first, which can take
  /// minutes.
  func finish() throws -> Outcome {
    defer { store.close(self) }
    return try file.withLock { slot in
      guard let file = slot.take() else { return .incomplete((FileFacts.byteCount(at: path) ?? 0)) }
      guard file.byteCount == total else { return .incomplete(file.byteCount) }
      guard let list = file.blocks(), list.content == digest else {
        file.discard()
        return .mismatch(digest)
      }
      try store.admit(file, list)
      return .complete
    }
  }
}
