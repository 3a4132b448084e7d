import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Planning
import Rendering
import Threads

/// The chunks of a job that shows one still picture. Segments of the same length have the same chunk.
actor Chunks {
  struct Chunk: Sendable {
    /// The headers that carry the manifest.
    let headers: Headers
    let bytes: Data
  }

  private let still: String
  private var rendered: [Int: Task<Chunk, any Error>] = [:]

  init(still: String) { self.still = still }

  /// The chunk of a lease's segment. It is rendered if it is the first of its length.
  func chunk(of lease: Lease) async throws -> Chunk {
    let count = lease.description.frameCount
    if let task = rendered[count] { return try await task.value }
    let task = Task { [still] in
      try await BlockingThread.run(named: "render") { try Self.render(lease, of: still) }
    }
    rendered[count] = task
    return try await task.value
  }

  private static func render(_ lease: Lease, of still: String) throws -> Chunk {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("farm-load-\(UUID().uuidString).mp4").path
    defer { unlink(path) }
    let chunk = try SegmentRenderer(segment: lease.description) { _ in
      try FileByteSource(path: still)
    }.render(to: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let manifest = ChunkManifest(
      frameCount: chunk.frameCount, byteCount: Int64(bytes.count), sha256: Digest.of(bytes),
      parameterSets: Data(chunk.parameterSets))
    return Chunk(headers: Headers(try manifest.headers()), bytes: bytes)
  }
}
