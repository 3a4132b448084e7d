import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_worker

/// Chunks that are left in the coordinator's folder instead of being sent.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ChunkFolderTests: LeaseLoopSuite {
  let folder: TemporaryDirectory
  let coordinator: FakeCoordinator

  init() throws {
    folder = try TemporaryDirectory()
    coordinator = try FakeCoordinator()
  }

  /// Creates the folder in which chunks may be left, and returns its path.
  ///
  /// - Parameter mark: the name of the mark in it.
  private func offerFolder(marked mark: String = "mark-1") throws -> String {
    let shared = folder.path("delivered")
    try FileManager.default.createDirectory(
      atPath: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data().write(to: URL(fileURLWithPath: "\(shared)/\(mark)"))
    coordinator.change { $0.chunkFolder = ChunkFolder(path: shared, mark: "mark-1") }
    return shared
  }

  @Test func `a chunk is left in the coordinator's folder, and its name removed afterwards`()
    async throws
  {
    let shared = try offerFolder()
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    try await withWorker {
      for token in ["one", "two"] {
        #expect(
          await coordinator.next(where: isDelivery)
            == .deliveredFile(token: token, bytes: Array(token.utf8)))
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared) == ["mark-1"])
  }

  /// A folder that a worker must not write to, although the coordinator names it.
  enum ForeignFolder: CaseIterable {
    case openToOthers, linked, relative, markedElsewhere, markedByAnyName
  }

  @Test(arguments: ForeignFolder.allCases)
  func `a chunk is sent if the folder is not private to this user, or its mark is not a mark`(
    foreign: ForeignFolder
  ) async throws {
    let shared = try offerFolder()
    switch foreign {
    case .openToOthers: #expect(chmod(shared, 0o750) == 0)
    case .linked:
      let link = folder.path("link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shared)
      coordinator.change { $0.chunkFolder?.path = link }
    case .relative:
      let root = String(repeating: "../", count: 64)
      coordinator.change { $0.chunkFolder?.path = root + shared.dropFirst() }
    case .markedElsewhere:
      #expect(mkdir("\(shared)/mark-d", 0o700) == 0)
      coordinator.change { $0.chunkFolder?.mark = "mark-d/../mark-1" }
    case .markedByAnyName:
      try Data().write(to: URL(fileURLWithPath: "\(shared)/notes"))
      coordinator.change { $0.chunkFolder?.mark = "notes" }
    }
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "one", bytes: Array("one".utf8)))
    }
  }

  @Test func `a chunk is sent if the coordinator does not see its file`() async throws {
    _ = try offerFolder()
    coordinator.change {
      $0.isBlind = true
      $0.leases = [.test("one")]
    }
    try await withWorker {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "one", bytes: Array("one".utf8)))
    }
  }

  @Test func `a chunk is sent if the folder does not have the coordinator's mark`() async throws {
    _ = try offerFolder(marked: "mark-2")
    coordinator.change { $0.leases = [.test("one")] }
    try await withWorker {
      #expect(
        await coordinator.next(where: isDelivery)
          == .delivered(token: "one", bytes: Array("one".utf8)))
    }
  }
}
