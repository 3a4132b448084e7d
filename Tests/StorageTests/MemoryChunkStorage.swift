import Crypto
import Foundation
import Synchronization
import sheaf_coordinator

/// Chunks in memory, as another storage than files could keep them.
final class MemoryChunkStorage: ChunkStorage {
  private let chunks = Mutex<[Digest: Data]>([:])

  /// The digests of the chunks.
  var digests: Set<Digest> { chunks.withLock { Set($0.keys) } }

  /// Changes the bytes of a chunk, as a defect would.
  func damage(_ digest: Digest) { chunks.withLock { $0[digest]?.append(0) } }

  func contains(_ digest: Digest) -> Bool { chunks.withLock { $0[digest] != nil } }

  func byteCount(of digest: Digest) -> Int64? {
    chunks.withLock { $0[digest].map { Int64($0.count) } }
  }

  func keep(fileAt path: String, as digest: Digest) throws {
    let bytes = try Data(contentsOf: URL(filePath: path))
    chunks.withLock { $0[digest] = bytes }
  }

  func inspect(
    _ digest: Digest, fromDisk: Bool, pace: (Int) throws -> Void
  ) throws -> ChunkVerdict {
    guard let bytes = chunks.withLock({ $0[digest] }) else { return .missing }
    try pace(bytes.count)
    guard Digest.of(bytes) != digest else { return .sound }
    remove(digest)
    return .damaged
  }

  func lend(_ digest: Digest, at path: String) throws -> Bool {
    guard let bytes = chunks.withLock({ $0[digest] }) else { return false }
    try bytes.write(to: URL(filePath: path))
    return true
  }

  func remove(_ digest: Digest) { chunks.withLock { $0[digest] = nil } }

  func removeAll(but needed: Set<Digest>) {
    chunks.withLock { $0 = $0.filter { needed.contains($0.key) } }
  }
}
