import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The chunks that an assembling process can reach.
@Suite(.mayBlock, .timeLimit(.minutes(1))) struct WorkFolderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `an assembling process can reach only the chunk that it appends`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    let job = try await farm.submit()
    let segments = try await farm.segments(of: job)
    for _ in segments { #expect(try await farm.deliver(farm.lease(worker)).status == .ok) }
    #expect(try await farm.end(of: job).state == .completed)
    let reaches = farm.media.reaches
    #expect(reaches.count == segments.count)
    for reach in reaches {
      let chunk = URL(fileURLWithPath: reach.chunk)
      #expect(reach.contents == [chunk.lastPathComponent])
      #expect(chunk.deletingLastPathComponent().path == reach.readable)
      // The lent chunk is not in the writable folder: writing through a hard link would change the stored chunk.
      #expect(!reach.readable.hasPrefix(reach.writable))
      let kept = farm.directory.path(
        "data/chunks/\(chunk.lastPathComponent.prefix(2))/\(chunk.lastPathComponent)")
      #expect(try Digest.of(file: kept).description == chunk.lastPathComponent)
      let attributes = try FileManager.default.attributesOfItem(atPath: kept)
      #expect(attributes[.referenceCount] as? Int == 1)
    }
  }

  /// A new work folder.
  private func made() throws -> WorkFolder {
    let work = WorkFolder(folder.path("work"))
    try work.make()
    return work
  }

  @Test func `a lent chunk takes no room, and stays in the store when it is taken back`() throws {
    let work = try made()
    let chunk = folder.path("chunk")
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    let lent = try work.lend(chunk)
    let files = try [chunk, lent].map { path in
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    #expect(files[0] == files[1])
    work.takeBack(lent)
    #expect(!FileManager.default.fileExists(atPath: lent))
    #expect(try Data(contentsOf: URL(fileURLWithPath: chunk)) == Data("chunk".utf8))
  }

  @Test func `a missing chunk counts as damaged`() throws {
    let work = try made()
    let error = #expect(throws: JobError.self) { try work.lend(folder.path("none")) }
    #expect(error?.failure.code == "damaged-chunk")
  }

  @Test func `a chunk can be lent while equal ones are delivered`() throws {
    let work = try made()
    let chunk = folder.path("chunk")
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    let isOver = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    let delivered = folder.path("delivered")
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) {
        close(open(delivered, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        rename(delivered, chunk)
      }
      ended.signal()
    }
    defer {
      isOver.store(true, ordering: .relaxed)
      ended.wait()
    }
    for _ in 0..<20_000 { work.takeBack(try work.lend(chunk)) }
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a chunk that cannot be hard-linked is copied`() throws {
    let work = try made()
    let disk = try SmallDisk(mebibytes: 1)
    let chunk = disk.directory.path("chunk")
    try Data("chunk".utf8).write(to: URL(fileURLWithPath: chunk))
    let lent = try work.lend(chunk)
    #expect(try Data(contentsOf: URL(fileURLWithPath: lent)) == Data("chunk".utf8))
    work.takeBack(lent)
    #expect(try FileManager.default.contentsOfDirectory(atPath: work.chunks).isEmpty)
  }
}
