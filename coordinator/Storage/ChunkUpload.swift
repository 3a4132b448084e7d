import Crypto
import FarmAPI
import Foundation
import HTTP
import Synchronization

/// A chunk on its way in.
final class ChunkUpload: BodySink {
  /// An event during the upload.
  enum Event: Hashable, Sendable {
    /// Bytes arrive. Told once a second at most.
    case arriving
    /// They are more than the manifest says.
    case refused(String)
  }

  /// A problem with the bytes.
  enum Problem: Hashable, Sendable {
    /// There are fewer than the manifest says, as the text tells.
    case length(String)
    /// They do not match its digest.
    case digest
  }

  let manifest: ChunkManifest
  private let tell: @Sendable (Event) -> Void
  private let toldAt = Mutex<ContinuousClock.Instant?>(nil)
  private let store: ChunkStore
  /// `nil` if the bytes are of no interest.
  private let file: Mutex<StagedFile?>

  /// - Parameter isKept: whether the bytes are wanted; they are read and dropped otherwise.
  init(
    _ manifest: ChunkManifest, store: ChunkStore, isKept: Bool,
    tell: @escaping @Sendable (Event) -> Void
  ) throws(StorageError) {
    self.manifest = manifest
    self.tell = tell
    self.store = store
    file = Mutex(isKept ? try store.stage() : nil)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try file.withLock { file in
      guard let file else { return }
      guard file.byteCount + Int64(bytes.count) <= manifest.byteCount else {
        let problem = "the chunk is larger than the \(manifest.byteCount) bytes of its manifest"
        tell(.refused(problem))
        throw HTTPError.invalidChunk(problem)
      }
      do throws(StorageError) { try file.write(bytes) } catch { throw HTTPError(error) }
    }
    let now = ContinuousClock.now
    let isNews = toldAt.withLock { toldAt in
      if let toldAt, now - toldAt < .seconds(1) { return false }
      toldAt = now
      return true
    }
    if isNews { tell(.arriving) }
  }

  func abandon() {
    file.withLock { $0.take() }?.discard()
  }

  /// Checks the bytes and brings the chunk to disk, or says what is wrong with them. Blocks.
  func finish() throws -> Problem? {
    try file.withLock { slot in
      guard let file = slot.take() else { return nil }
      guard file.byteCount == manifest.byteCount else {
        file.discard()
        return .length(
          "the chunk has \(file.byteCount) bytes, its manifest says \(manifest.byteCount)")
      }
      guard file.digest() == manifest.sha256 else {
        file.discard()
        return .digest
      }
      try file.commit(to: store.path(of: manifest.sha256))
      return nil
    }
  }
}

extension HTTPError {
  /// The chunk is not what the lease asked for.
  static func invalidChunk(_ detail: String) -> HTTPError {
    HTTPError(.unprocessableContent, type: ProblemType.invalidChunk.rawValue, detail: detail)
  }
}
