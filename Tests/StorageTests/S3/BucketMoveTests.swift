import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import S3
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Moves of stored files to a bucket and back.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct BucketMoveTests: BucketSuite {
  let server: S3Server
  let directory: TemporaryDirectory
  let prefix = S3Server.newPrefix()

  init() throws {
    server = try S3Server.shared.get()
    directory = try TemporaryDirectory()
  }

  private func write(_ bytes: Data, to path: String) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file)
  }

  @Test func `moving files that was interrupted is continued`() async throws {
    let data = directory.path("data")
    let job = try await completedJob(objects: .onDisk)
    let fragment = "recordings/f1/part-1/00000001.m4s"
    let bytes = Data("a fragment".utf8)
    try write(bytes, to: "\(data)/\(fragment)")
    let log = Log(.quiet) { _ in }
    // The store refuses the third object.
    let count = Mutex(0)
    let proxy = try FaultyProxy(to: server.port) { request in
      guard request.method == "PUT", !request.path.contains("farm.json") else { return nil }
      return count.withLock { count in
        count += 1
        return count > 2 ? .answer(503) : nil
      }
    }
    #expect(throws: StorageError.self) {
      try FileMove.toStore(data, client(proxy.origin), log: log)
    }
    await #expect { try await farm() } throws: { error in
      "\(error)".contains("was interrupted")
    }
    // A process that another test is starting may still have the lock.
    try await untilUnlocked(data)
    #expect(throws: StorageError.self) {
      try FileMove.toStore(data, client(prefix: "\(prefix)-mistyped"), log: log)
    }
    try await untilUnlocked(data)
    #expect(try FileMove.toStore(data, client(), log: log) > 5)
    for kind in ObjectKind.allCases {
      let names = try FileManager.default.subpathsOfDirectory(atPath: "\(data)/\(kind.rawValue)")
      #expect(names.allSatisfy { !FileManager.default.isFile("\(data)/\(kind.rawValue)/\($0)") })
    }
    do {
      let stored = try await farm()
      let again = try await stored.end(of: stored.submit(rerenders: false))
      #expect(again.segmentsReused == again.segments.total)
      await stored.coordinator.stop()
    }
    try await untilUnlocked(data)
    // Recordings were on disk in an earlier version.
    let older = "recordings/f0/part-1/00000001.m4s"
    try write(bytes, to: "\(data)/\(older)")
    await #expect { try await farm() } throws: { error in
      "\(error)".contains("contains recordings/f0/")
        && "\(error)".contains("`sheaf-coordinator move")
    }
    #expect(try FileMove.toStore(data, client(), log: log) == 1)
    #expect(try Set(keys(.recording)) == [fragment, older])
    #expect(throws: StorageError.self) { try FileMove.toStore(data, client(), log: log) }

    #expect(try FileMove.fromStore(data, client(), log: log) > 5)
    try await untilUnlocked(data)
    for file in [fragment, older] {
      #expect(FileManager.default.contents(atPath: "\(data)/\(file)") == bytes)
    }
    let back = try await TestFarm(in: directory, ledger: .onDisk)
    let output = try await back.send(.get, "/jobs/\(job.id)/output")
    #expect(try await Digest.of(output.content()) == job.output?.sha256)
    try await back.coordinator.scrubOnce()
    #expect(try await back.get("/scrub", as: ScrubStatus.self).damagedFiles == 0)
    await back.coordinator.stop()
  }
}
