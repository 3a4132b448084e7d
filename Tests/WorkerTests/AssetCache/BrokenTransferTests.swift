import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Support
import Synchronization
import Testing
import Threads
import sheaf_worker

/// Responses that are interrupted on their way to a worker, or arrive damaged.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct BrokenTransferTests {
  private static let blockSize = 1000
  private static let content = (0..<10_500).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  private let folder: TemporaryDirectory
  private let server: BreakingServer
  private let blocks = BlockDigests.of(Self.content, blockSize: Self.blockSize)

  init() throws {
    folder = try TemporaryDirectory()
    server = try BreakingServer(Self.content)
  }

  private func cache(
    damaged: @escaping @Sendable (BlockKey) -> Void = { _ in }
  ) throws -> BlockCache {
    try BlockCache(
      directory: folder.path, byteLimit: 100_000, blockSize: Self.blockSize, damaged: damaged)
  }

  private func asset(
    _ cache: BlockCache? = nil, progress: RenderProgress = RenderProgress(),
    failures: AssetFailures? = nil,
    sleep: @escaping @Sendable (Duration) -> Void = { _ in }
  ) throws -> RemoteAsset {
    RemoteAsset(
      blocks, at: server.url, lease: "lease", cache: try cache ?? self.cache(),
      client: Client(), progress: progress, failures: failures, sleep: sleep)
  }

  private func read(_ asset: RemoteAsset, _ range: Range<Int>) async throws -> [UInt8] {
    try await BlockingThread.runUntilCancelled(named: "test") {
      var bytes = [UInt8](repeating: 0, count: range.count)
      let count = try bytes.withUnsafeMutableBytes {
        try asset.fill($0, from: Int64(range.lowerBound))
      }
      return Array(bytes.prefix(count))
    }
  }

  @Test func `an interrupted response is resumed where it stopped`() async throws {
    defer { server.stop() }
    server.fail([.cut(after: 300), .cut(after: 0), .cut(after: 450)])
    #expect(try await read(asset(), 5000..<6000) == Array(Self.content[5000..<6000]))
    #expect(server.ranges == [5000...5999, 5300...5999, 5300...5999, 5750...5999])
  }

  @Test func `the log names the reason while a render waits for an asset, once`() async throws {
    defer { server.stop() }
    let lines = Mutex<[String]>([])
    let log = Log(.normal) { line in lines.withLock { $0.append(line) } }
    server.fail([.cut(after: 0), .cut(after: 0)])
    _ = try await read(asset(failures: AssetFailures(log: log)), 0..<1000)
    let logged = lines.withLock { $0 }
    #expect(logged.count == 2, "\(logged)")
    #expect(logged.first?.contains(" msg=waiting for=\(server.url) because=") == true, "\(logged)")
    #expect(logged.last?.contains(" msg=recovered for=\(server.url) ") == true, "\(logged)")
  }

  @Test func `blocks that were dropped from memory are read from the cache again`() async throws {
    defer { server.stop() }
    let asset = try asset()
    let expected = Array(Self.content[5000..<6000])
    #expect(try await read(asset, 5000..<6000) == expected)
    asset.dropBlocks()
    #expect(try await read(asset, 5000..<6000) == expected)
    #expect(server.ranges == [5000...5999])
  }

  @Test func `a transfer survives far more interruptions than a job has attempts`() async throws {
    defer { server.stop() }
    server.fail(Array(repeating: .cut(after: 3), count: 100))
    #expect(try await read(asset(), 0..<1000) == Array(Self.content[..<1000]))
    #expect(server.ranges.count == 101)
  }

  @Test func `a transfer that never ends is cancelled with its lease`() async throws {
    defer { server.stop() }
    server.failAlways(.cut(after: 0))
    let progress = RenderProgress()
    let asset = try asset(progress: progress) { [server] _ in
      if server.ranges.count > 50 { progress.stop() }
    }
    await #expect(throws: RenderStopped.self) { try await read(asset, 0..<10) }
  }

  @Test(arguments: [
    "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\noops",
    "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\noops",
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\noops",
    "nonsense\r\n\r\n",
    Self.unsatisfiable,
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-999/10500\r\nContent-Length: 0\r\n\r\n",
  ])
  func `a request that a proxy answers is retried`(answer: String) async throws {
    defer { server.stop() }
    server.fail([.answer(answer), .answer(answer)])
    #expect(try await read(asset(), 0..<10) == Array(Self.content[..<10]))
    #expect(server.ranges.count == 3)
  }

  private static let unsatisfiable =
    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */300\r\nContent-Length: 0\r\n\r\n"

  @Test func `an asset that stays shorter than its lease states is an error`() async throws {
    defer { server.stop() }
    server.failAlways(.answer(Self.unsatisfiable))
    let asset = try asset()
    await #expect(throws: AssetError.shorterThanSaid(server.url)) {
      try await read(asset, 0..<10)
    }
    #expect(server.ranges.count == 6)
  }

  @Test func `bytes are counted as they arrive, even from interrupted responses`() async throws {
    defer { server.stop() }
    let progress = RenderProgress()
    let asset = try asset(progress: progress)
    let pause = DispatchSemaphore(value: 0)
    server.fail([.cut(after: 200), .pause(after: 300, until: pause)])
    async let bytes = read(asset, 5000..<6000)
    try await eventually("500 bytes arrive") { progress.assetBytes >= 500 }
    #expect(progress.assetBytes == 500)
    #expect(progress.waitsForAssets)
    pause.signal()
    #expect(try await bytes == Array(Self.content[5000..<6000]))
    #expect(progress.assetBytes == 1000)
    #expect(!progress.waitsForAssets)
    // From the cache.
    #expect(try await read(asset, 5000..<6000) == Array(Self.content[5000..<6000]))
    #expect(progress.assetBytes == 1000)
  }

  @Test func `a render counts as waiting while another one fetches its asset`() async throws {
    defer { server.stop() }
    let cache = try cache()
    let (first, second) = (RenderProgress(), RenderProgress())
    let (one, other) = (try asset(cache, progress: first), try asset(cache, progress: second))
    let pause = DispatchSemaphore(value: 0)
    server.fail([.pause(after: 300, until: pause)])
    async let bytes = read(one, 5000..<6000)
    try await eventually("300 bytes arrive") { first.assetBytes >= 300 }
    async let same = read(other, 5000..<6000)
    try await eventually("the second render waits") { second.waitsForAssets }
    pause.signal()
    let both = try await (bytes, same)
    #expect(both.0 == both.1)
    #expect(second.assetBytes == 0)
    #expect(!second.waitsForAssets)
    #expect(server.ranges.count == 1)
  }

  @Test(arguments: [5000, 5500, 5999])
  func `a block that arrives with a flipped bit is fetched again`(place: Int64) async throws {
    defer { server.stop() }
    server.fail([.flip(place), .flip(place)])
    #expect(try await read(asset(), 5000..<6000) == Array(Self.content[5000..<6000]))
    #expect(server.ranges == [5000...5999, 5000...5999, 5000...5999])
  }

  @Test func `only the damaged one of several blocks is fetched again`() async throws {
    defer { server.stop() }
    let asset = try asset()
    _ = try await read(asset, 0..<1000)
    server.fail([.flip(2500)])
    #expect(try await read(asset, 1000..<3000) == Array(Self.content[1000..<3000]))
    #expect(server.ranges == [0...999, 1000...2999, 2000...2999])
  }

  @Test func `an asset that always arrives with wrong bytes is reported as damaged`() async throws {
    defer { server.stop() }
    server.failAlways(.flip(5500))
    let asset = try asset()
    await #expect(throws: AssetError.damaged(server.url)) { try await read(asset, 5000..<6000) }
    #expect(asset.problem == .damaged(server.url))
    await #expect(throws: AssetError.damaged(server.url)) { try await read(asset, 0..<10) }
  }

  @Test func `a block that changed in the cache is fetched again`() async throws {
    defer { server.stop() }
    let (keys, log) = AsyncStream.makeStream(of: BlockKey.self)
    let cache = try cache { log.yield($0) }
    _ = try await read(asset(cache), 5000..<6000)
    // The cache's file has no name, so it is the deleted file that this process has open.
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      return target?.hasPrefix(folder.path) == true
    }
    let file = open("/proc/self/fd/\(try #require(files.first))", O_RDWR)
    defer { close(file) }
    var byte = Self.content[5700] ^ 1
    try #require(pwrite(file, &byte, 1, 700) == 1)
    #expect(try await read(asset(cache), 5000..<6000) == Array(Self.content[5000..<6000]))
    #expect(server.ranges == [5000...5999, 5000...5999])
    #expect(await keys.first { _ in true } == BlockKey(asset: blocks.content, index: 5))
  }

  @Test func `a list of block digests that arrives damaged is fetched again`() async throws {
    let list = BlockDigests.of(Self.content)
    let lists = try BreakingServer(list.encoded)
    defer {
      lists.stop()
      server.stop()
    }
    lists.fail([.flip(5), .flip(40), .flip(70), .cut(after: 20)])
    let leased = LeasedAsset(
      AssetReference(digest: list.content, byteCount: list.byteCount), blocks: list.digest)
    let known = AssetBlocks()
    let fetch: @Sendable () throws -> BlockDigests = {
      try known.list(
        of: leased, at: lists.url, lease: "lease", client: Client(), progress: RenderProgress(),
        sleep: { _ in })
    }
    #expect(try await BlockingThread.run(named: "test", fetch) == list)
    let count = lists.ranges.count
    #expect(try await BlockingThread.run(named: "test", fetch) == list)
    #expect(lists.ranges.count == count)
  }

  @Test func `a list that differs from the lease's is never used`() async throws {
    let other = BlockDigests.of([1, 2, 3])
    let lists = try BreakingServer(other.encoded)
    defer {
      lists.stop()
      server.stop()
    }
    let leased = LeasedAsset(
      AssetReference(digest: other.content, byteCount: 3), blocks: Digest.of([1]))
    await #expect(throws: AssetError.damaged(lists.url)) {
      _ = try await BlockingThread.run(named: "test") {
        try AssetBlocks().list(
          of: leased, at: lists.url, lease: "lease", client: Client(),
          progress: RenderProgress(), sleep: { _ in })
      }
    }
  }
}
