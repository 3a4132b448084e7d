import Arguments
import CoordinatorSupport
import FarmAPI
import Foundation
import Support
import Testing
import sheaf_coordinator

/// Farms whose data is deleted with them: `serve --temporary`.
@Suite(.mayBlock) struct TemporaryFarmTests {
  @Test func `a data directory with a ledger cannot be used by a temporary farm`() async throws {
    let directory = try TemporaryDirectory()
    do {
      let farm = try await TestFarm(in: directory, ledger: .onDisk)
      _ = try await farm.submit()
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    var storage = StorageSettings()
    storage.isTemporary = true
    do {
      _ = try await TestFarm(in: directory, ledger: .onDisk, storage: storage)
      Issue.record("the farm was opened")
    } catch let error as StorageError {
      #expect(error.message.hasPrefix("cannot use --temporary with "))
    }
    let again = try await TestFarm(in: directory, ledger: .onDisk)
    #expect(try await again.get("/jobs", as: [JobStatus].self).count == 1)
    await again.coordinator.stop()
  }

  @Test func `a temporary farm begins with a new data directory`() async throws {
    var storage = StorageSettings()
    storage.isTemporary = true
    let farm = try await TestFarm(ledger: .onDisk, storage: storage)
    let job = try await farm.submit()
    #expect(try await farm.finish(job, by: farm.register()).state == .completed)
    await farm.coordinator.stop()
  }

  @Test(arguments: [("127.0.0.1", true), ("::1", true), ("0.0.0.0", false), ("::", false)])
  func `only a coordinator on a loopback address can be temporary`(
    address: String, isAllowed: Bool
  ) throws {
    let arguments = ["--data", "d", "--bind", address, "--temporary"]
    guard !isAllowed else {
      #expect(try ServeConfiguration(arguments).storage.isTemporary)
      return
    }
    #expect(throws: UsageError.self) { try ServeConfiguration(arguments) }
  }
}
