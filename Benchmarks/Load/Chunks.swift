import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Rendering
import Threads

/// The chunks of jobs that show one still picture. All segments of the same length have the same packets, but each
/// segment's chunk has bytes of its own, as if its picture differed.
actor Chunks {
  struct Chunk: Sendable {
    let manifest: ChunkManifest
    let bytes: Data
  }

  private struct Rendered: Sendable {
    let bytes: Data
    let parameterSets: Data
  }

  private let still: String
  /// Bytes that are added to each chunk.
  private let padding: Data
  private var rendered: [Int: Task<Rendered, any Error>] = [:]

  init(still: String, paddingBytes: Int) {
    self.still = still
    padding = Data(count: paddingBytes)
  }

  /// The chunk of a lease's segment. It is rendered if it is the first of its length.
  ///
  /// - Parameter message: the response with the lease.
  nonisolated func chunk(of lease: BriefLease, in message: Data) async throws -> Chunk {
    let packets = try await packets(lease.description.frameCount, message)
    // A box of the type `free`, which readers skip.
    let name = Digest.of(Data("\(lease.job) \(lease.segment)".utf8))
    let headerLength = 8
    let content = Data(name.bytes) + padding
    var bytes = packets.bytes
    let size = UInt32(headerLength + content.count)
    withUnsafeBytes(of: size.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(Data("free".utf8))
    bytes.append(content)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: packets.parameterSets)
    return Chunk(manifest: manifest, bytes: bytes)
  }

  private func packets(_ count: Int, _ message: Data) async throws -> Rendered {
    if let task = rendered[count] { return try await task.value }
    let task = Task { [still] in
      try await BlockingThread.run(named: "render") { try Self.render(message, of: still) }
    }
    rendered[count] = task
    return try await task.value
  }

  private static func render(_ message: Data, of still: String) throws -> Rendered {
    let lease = try FarmCoding.decode(Lease.self, from: message)
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("farm-load-\(UUID().uuidString).mp4").path
    defer { unlink(path) }
    let chunk = try SegmentRenderer(segment: lease.description) { _ in
      try FileByteSource(path: still)
    }.render(to: path)
    return Rendered(
      bytes: try Data(contentsOf: URL(fileURLWithPath: path)),
      parameterSets: Data(chunk.parameterSets))
  }
}

/// The members of a `Lease` that a simulated worker needs.
struct BriefLease: Decodable, Sendable {
  struct Description: Decodable, Sendable {
    let first: Int
    let end: Int

    var frameCount: Int { end - first }
  }

  let token: String
  let job: String
  let segment: Int
  let heartbeatMilliseconds: Int
  let description: Description
}
