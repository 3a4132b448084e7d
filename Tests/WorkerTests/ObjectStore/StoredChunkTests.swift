import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_worker

/// Chunks that are left in the object store instead of being sent to the coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct StoredChunkTests: LeaseLoopSuite {
  let folder: TemporaryDirectory
  let coordinator: FakeCoordinator
  private let store: FakeStore

  init() throws {
    folder = try TemporaryDirectory()
    coordinator = try FakeCoordinator()
    store = try FakeStore()
    coordinator.change { [store] in $0.store = store }
  }

  @Test func `a chunk is left in the store, which does not receive the farm's token`() async throws
  {
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    try await withWorker {
      for token in ["one", "two"] {
        #expect(
          await coordinator.next(where: isDelivery)
            == .deliveredFile(token: token, bytes: Array(token.utf8)))
      }
    }
    #expect(store.requests.count == 2)
    #expect(store.requests.allSatisfy { $0["Authorization"] == nil })
  }

  @Test func `a worker that cannot use the store sends its chunk to the coordinator`() async throws
  {
    store.fail()
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    try await withWorker {
      for token in ["one", "two"] {
        #expect(
          await coordinator.next(where: isDelivery)
            == .delivered(token: token, bytes: Array(token.utf8)))
      }
    }
    // It is not tried again at once.
    #expect(store.requests.count == 1)
  }

  @Test func `a chunk that the coordinator does not see in the store is sent`() async throws {
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
}
