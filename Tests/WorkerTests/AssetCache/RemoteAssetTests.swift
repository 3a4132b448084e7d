import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Support
import Testing
import Threads
import sheaf_worker

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RemoteAssetTests {
  private let folder: TemporaryDirectory
  private let server: AssetServer
  private let client = Client()
  private static let blockSize = 1000

  init() throws {
    folder = try TemporaryDirectory()
    server = try AssetServer(byteCount: 10_500, blockSize: Self.blockSize)
  }

  private func cache(blocks: Int) throws -> BlockCache {
    try BlockCache(
      directory: folder.path, byteLimit: Int64(blocks * Self.blockSize),
      blockSize: Self.blockSize)
  }

  private func asset(
    _ cache: BlockCache, progress: RenderProgress = RenderProgress()
  ) -> RemoteAsset {
    RemoteAsset(
      server.blocks, at: server.url, lease: "lease", cache: cache, client: client,
      progress: progress, sleep: { _ in })
  }

  /// Reads on a separate thread, as a render does.
  private func read(_ asset: RemoteAsset, _ range: Range<Int>) async throws -> [UInt8] {
    try await BlockingThread.runUntilCancelled(named: "test") {
      var bytes = [UInt8](repeating: 0, count: range.count)
      var done = 0
      while done < bytes.count {
        let count = try bytes.withUnsafeMutableBytes {
          try asset.read(
            at: Int64(range.lowerBound + done),
            into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]))
        }
        if count == 0 { break }
        done += count
      }
      return Array(bytes[..<done])
    }
  }

  @Test func `a read returns the asset's bytes`() async throws {
    let asset = asset(try cache(blocks: 20))
    #expect(try await read(asset, 0..<10_500) == server.content)
    #expect(try await read(asset, 1995..<4005) == Array(server.content[1995..<4005]))
  }

  @Test func `a read beyond the end returns nothing`() async throws {
    let asset = asset(try cache(blocks: 20))
    #expect(try await read(asset, 10_400..<12_000) == Array(server.content[10_400...]))
    #expect(try await read(asset, 11_000..<12_000).isEmpty)
  }

  @Test func `only the blocks that are needed are fetched`() async throws {
    _ = try await read(asset(try cache(blocks: 20)), 5100..<5200)
    #expect(server.ranges == ["bytes=5000-5999"])
  }

  @Test func `a block is fetched once for all readers`() async throws {
    let cache = try cache(blocks: 20)
    _ = try await read(asset(cache), 5100..<5200)
    _ = try await read(asset(cache), 5300..<5400)
    #expect(server.ranges == ["bytes=5000-5999"])
  }

  @Test func `concurrent readers share one fetch`() async throws {
    let cache = try cache(blocks: 20)
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 { group.addTask { try await read(asset(cache), 100..<200) } }
      for try await bytes in group { #expect(bytes == Array(server.content[100..<200])) }
    }
    #expect(server.ranges == ["bytes=0-999"])
  }

  @Test func `sequential reads fetch more blocks at once`() async throws {
    _ = try await read(asset(try cache(blocks: 20)), 0..<7000)
    #expect(server.ranges == ["bytes=0-999", "bytes=1000-2999", "bytes=3000-6999"])
  }

  @Test func `an evicted block is fetched again`() async throws {
    let cache = try cache(blocks: 2)
    // A reader keeps a few blocks in memory, so each read uses a new reader.
    for start in [0, 5000, 9000, 0] { _ = try await read(asset(cache), start..<start + 10) }
    #expect(server.ranges.filter { $0 == "bytes=0-999" }.count == 2)
  }

  @Test func `a request is retried after a temporary server failure`() async throws {
    server.answer(.serviceUnavailable, .internalServerError)
    #expect(
      try await read(asset(try cache(blocks: 20)), 0..<10) == Array(server.content[..<10]))
  }

  @Test func `an asset that the server lacks is missing, not damaged`() async throws {
    server.answer(.notFound)
    let asset = asset(try cache(blocks: 20))
    await #expect(throws: AssetError.missing(server.url)) { try await read(asset, 0..<10) }
    #expect(asset.problem == .missing(server.url))
  }

  @Test func `a failed fetch does not poison the block`() async throws {
    server.answer(.notFound)
    let cache = try cache(blocks: 20)
    _ = try? await read(asset(cache), 0..<10)
    #expect(try await read(asset(cache), 0..<10) == Array(server.content[..<10]))
  }

  @Test func `a stopped render sends no more requests`() async throws {
    let progress = RenderProgress()
    progress.stop()
    let asset = asset(try cache(blocks: 20), progress: progress)
    await #expect(throws: RenderStopped.self) { try await read(asset, 0..<10) }
    #expect(server.ranges.isEmpty)
  }

  @Test func `the cache leaves no file behind`() async throws {
    _ = try await read(asset(try cache(blocks: 2)), 0..<10)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
