import Crypto
import FarmAPI
import Foundation
import HTTP
import Synchronization

/// A chunk on its way in.
final class ChunkUpload: BodySink {
  let manifest: ChunkManifest
  private let store: ChunkStore
  /// `nil` where the bytes are of no interest.
  private let file: Mutex<StagedFile?>

  /// - Parameter isKept: whether the bytes are wanted; they are read and dropped otherwise.
  init(_ manifest: ChunkManifest, store: ChunkStore, isKept: Bool) throws(StorageError) {
    self.manifest = manifest
    self.store = store
    file = Mutex(isKept ? try store.stage() : nil)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try file.withLock { file in
      guard let file else { return }
      guard file.byteCount + Int64(bytes.count) <= manifest.byteCount else {
        throw HTTPError.invalidChunk(
          "the chunk is larger than the \(manifest.byteCount) bytes of its manifest")
      }
      do throws(StorageError) { try file.write(bytes) } catch { throw HTTPError(error) }
    }
  }

  func abandon() {
    file.withLock { $0.take() }?.discard()
  }

  /// Checks the bytes and brings the chunk to disk. Blocks.
  func finish() throws {
    try file.withLock { slot in
      guard let file = slot.take() else { return }
      guard file.byteCount == manifest.byteCount else {
        file.discard()
        throw HTTPError.invalidChunk(
          "the chunk has \(file.byteCount) bytes, its manifest says \(manifest.byteCount)")
      }
      guard file.digest() == manifest.sha256 else {
        file.discard()
        throw HTTPError.invalidChunk("the chunk's bytes are not those of its digest")
      }
      try file.commit(to: store.path(of: manifest.sha256))
    }
  }
}

extension HTTPError {
  /// The chunk is not what the lease asked for.
  static func invalidChunk(_ detail: String) -> HTTPError {
    HTTPError(.unprocessableContent, type: ProblemType.invalidChunk.rawValue, detail: detail)
  }
}
