import Crypto
import FarmAPI
import Foundation
import HTTP
import Synchronization

/// The rest of an asset on its way in.
final class AssetUpload: BodySink {
  let digest: Digest
  /// The path of its bytes until it is complete.
  let path: String
  let total: Int64
  private let store: AssetStore
  private let file: Mutex<StagedFile?>
  private let lastArrival = Mutex(ContinuousClock.now)
  private let hasEnded = Atomic(false)

  /// How long an upload may send nothing before another request may take it over.
  static let patience = Duration.seconds(5)

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

  /// How much is there.
  var byteCount: Int64 {
    file.withLock { $0?.byteCount } ?? AssetStore.size(path) ?? 0
  }

  /// Whether bytes have arrived recently or the asset is being brought to disk, so that another request has to wait.
  var isUnderWay: Bool {
    hasEnded.load(ordering: .relaxed)
      || lastArrival.withLock { ContinuousClock.now - $0 } < Self.patience
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    lastArrival.withLock { $0 = .now }
    try file.withLock { file in
      guard let file else { throw HTTPError.uploadOffset((AssetStore.size(path) ?? 0)) }
      guard file.byteCount + Int64(bytes.count) <= total else {
        throw HTTPError(
          .contentTooLarge, type: ProblemType.tooLarge.rawValue,
          detail: "more than the \(total) bytes of Upload-Length came: \(digest)")
      }
      do throws(StorageError) { try file.write(bytes) } catch { throw HTTPError(error) }
    }
  }

  /// Keeps what has arrived for the next try.
  func abandon() {
    supersede()
    store.close(self)
  }

  /// Takes the file away: another upload goes on with it.
  func supersede() {
    file.withLock { $0 = nil }
  }

  /// The outcome of an upload.
  enum Outcome {
    case complete
    case incomplete(Int64)
    case mismatch(Digest)
  }

  /// Notes that no more bytes come. Until ``finish()`` or ``abandon()``, other requests have to wait.
  func noteEnd() { hasEnded.store(true, ordering: .relaxed) }

  /// Ends the upload. Blocks until the asset is on disk; an asset that is there already is read first, which can take
  /// minutes.
  func finish() throws -> Outcome {
    defer { store.close(self) }
    return try file.withLock { slot in
      guard let file = slot.take() else { return .incomplete((AssetStore.size(path) ?? 0)) }
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

extension HTTPError {
  /// Another request is uploading the asset, up to the given offset so far.
  static func uploadInProgress(_ offset: Int64) -> HTTPError {
    HTTPError(
      .conflict, type: ProblemType.uploadInProgress.rawValue,
      detail:
        "another request is uploading the asset: \(offset) bytes have arrived: check again soon",
      headers: ["Upload-Offset": String(offset), "Retry-After": "1"])
  }

  /// The upload has to go on at another offset.
  static func uploadOffset(_ offset: Int64) -> HTTPError {
    HTTPError(
      .conflict, type: ProblemType.uploadOffset.rawValue,
      detail: "\(offset) bytes are there: go on from there",
      headers: ["Upload-Offset": String(offset)])
  }
}
