import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Threads
import sheaf_worker

/// Assets that are read from the object store instead of the coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct StoredAssetTests {
  private static let blockSize = 1000
  private let folder: TemporaryDirectory
  private let coordinator: AssetServer
  private let store: AssetServer
  private let access = ObjectStore()

  init() throws {
    folder = try TemporaryDirectory()
    coordinator = try AssetServer(byteCount: 10_500, blockSize: Self.blockSize)
    store = try AssetServer(byteCount: 10_500, blockSize: Self.blockSize)
    coordinator.give(StorageLink(url: store.url, headers: [:]))
    access.offer(true)
  }

  /// Reads the first blocks on a separate thread, as a render does, without a cache of earlier ones.
  private func read(_ count: Int = 4000) async throws -> [UInt8] {
    let cache = try BlockCache(
      directory: folder.path, byteLimit: Int64(20 * Self.blockSize), blockSize: Self.blockSize)
    let asset = RemoteAsset(
      coordinator.blocks, at: coordinator.url, lease: "lease", cache: cache, client: Client(),
      store: access, progress: RenderProgress(), sleep: { _ in })
    return try await BlockingThread.runUntilCancelled(named: "test") {
      var bytes = [UInt8](repeating: 0, count: count)
      var done = 0
      while done < bytes.count {
        done += try bytes.withUnsafeMutableBytes {
          try asset.read(
            at: Int64(done), into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]))
        }
      }
      return bytes
    }
  }

  private var expected: [UInt8] { Array(coordinator.content[..<4000]) }

  @Test func `an asset is read from the store, with one link`() async throws {
    #expect(try await read() == expected)
    #expect(try await read() == expected)
    #expect(coordinator.ranges.isEmpty && !store.ranges.isEmpty)
    #expect(coordinator.linkRequests == 1)
  }

  @Test func `a farm without an object store is not asked for links`() async throws {
    access.offer(false)
    #expect(try await read() == expected)
    #expect(coordinator.linkRequests == 0 && store.ranges.isEmpty)
  }

  @Test(arguments: [Status.serviceUnavailable, .notFound])
  func `a worker that cannot use the store reads from the coordinator`(status: Status) async throws
  {
    store.answer(status)
    #expect(try await read() == expected)
    #expect(!coordinator.ranges.isEmpty && store.ranges.isEmpty)
  }

  @Test func `a link that is rejected is replaced once`() async throws {
    store.answer(.forbidden)
    #expect(try await read() == expected)
    #expect(coordinator.linkRequests == 2 && coordinator.ranges.isEmpty)
    store.answer(.forbidden, .forbidden)
    #expect(try await read() == expected)
    #expect(coordinator.linkRequests == 3 && !coordinator.ranges.isEmpty)
  }

  @Test func `an asset that is not in the store is read from the coordinator`() async throws {
    coordinator.give(nil)
    #expect(try await read() == expected)
    #expect(try await read() == expected)
    #expect(coordinator.linkRequests == 1 && store.ranges.isEmpty)
  }

  @Test func `blocks that arrive damaged from the store are read from the coordinator`()
    async throws
  {
    let other = try AssetServer(byteCount: 20_000, blockSize: Self.blockSize, seed: 1)
    coordinator.give(StorageLink(url: other.url, headers: [:]))
    #expect(try await read() == expected)
    #expect(!coordinator.ranges.isEmpty && !other.ranges.isEmpty)
  }
}
