import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Which chunks an assembling process reaches.
@Suite(.timeLimit(.minutes(1))) struct WorkFolderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `an assembling process reaches the chunk that it appends, and no other`() async throws
  {
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
      // What it may write has nothing to read in it: a second name leads to the same bytes.
      #expect(!reach.readable.hasPrefix(reach.writable))
      let kept = farm.directory.path(
        "data/chunks/\(chunk.lastPathComponent.prefix(2))/\(chunk.lastPathComponent)")
      #expect(try Digest.of(file: kept).description == chunk.lastPathComponent)
      let attributes = try FileManager.default.attributesOfItem(atPath: kept)
      #expect(attributes[.referenceCount] as? Int == 1)
    }
  }

  /// A work folder that is made.
  private func made() throws -> WorkFolder {
    let work = WorkFolder(folder.path("work"))
    try work.make()
    return work
  }

  @Test func `a chunk that is lent takes no room, and stays when it is taken back`() throws {
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

  @Test func `a chunk that is gone is a damaged one`() throws {
    let work = try made()
    let error = #expect(throws: JobError.self) { try work.lend(folder.path("none")) }
    #expect(error?.failure.code == "damaged-chunk")
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a chunk whose file can have no second name there is copied`() throws {
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
