import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// The limits on the number and the bytes of a submitter's assets.
@Suite(.mayBlock) struct AssetLimitTests {
  @Test func `an upload over a submitter's limit of assets is refused with 429`() async throws {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.assetsPerSubmitter = 2 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    #expect(try await ada.upload(Data("one".utf8)).status == .created)
    let part = try await ada.send(
      .put, "/assets/\(Digest.of(Data("two".utf8)))", headers: ["Upload-Length": "3"],
      body: Data("t".utf8))
    #expect(part.status == .accepted)
    let refused = try await ada.upload(Data("three".utf8))
    #expect(refused.status == .tooManyRequests)
    #expect(try await refused.problem() == .limitReached)
    // An asset that the submitter already has does not count again.
    #expect(try await ada.upload(Data("one".utf8)).status == .created)
  }

  @Test func `an upload over a submitter's limit of asset bytes is refused with 413`() async throws
  {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    #expect(try await ada.upload(Data("sixsix".utf8)).status == .created)
    let refused = try await ada.upload(Data("fives".utf8))
    #expect(refused.status == .contentTooLarge)
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await refused.content())
    #expect(problem.type == ProblemType.assetQuota.rawValue)
    #expect(
      problem.detail.hasPrefix("ada has 6 bytes of assets, and this asset has 5: the limit is 10 "),
      "\(problem.detail)")
    // An asset that the submitter already has does not count again, and reaching the limit exactly is allowed.
    #expect(try await ada.upload(Data("sixsix".utf8)).status == .created)
    #expect(try await ada.upload(Data("four".utf8)).status == .created)
    #expect(try await ada.upload(Data("x".utf8)).status == .contentTooLarge)
    // An asset that two submitters have counts for each of them.
    #expect(try await bob.upload(Data("sixsix".utf8)).status == .created)
    #expect(try await bob.upload(Data("fives".utf8)).status == .contentTooLarge)
  }

  @Test func `unfinished uploads count toward a submitter's limit of asset bytes`() async throws {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let path = "/assets/\(Digest.of(Data("sixsix".utf8)))"
    let part = try await ada.send(
      .put, path, headers: ["Upload-Length": "6"], body: Data("sixsi".utf8))
    #expect(part.status == .accepted)
    #expect(try await ada.upload(Data("sevensi".utf8)).status == .contentTooLarge)
    #expect(try await ada.upload(Data("four".utf8)).status == .created)
    // The upload can be completed: its own bytes are not counted twice.
    let rest = try await ada.send(
      .put, path, headers: ["Upload-Offset": "5", "Upload-Length": "6"], body: Data("x".utf8))
    #expect(rest.status == .created)
  }

  @Test func `unfinished uploads still count after a restart, until they are removed`() async throws
  {
    let before = try await TestFarm(ledger: .onDisk, access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: before)
    let part = try await ada.send(
      .put, "/assets/\(Digest.of(Data("sixsix".utf8)))", headers: ["Upload-Length": "6"],
      body: Data("sixsi".utf8))
    #expect(part.status == .accepted)
    await before.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.directory.path("data"), toPath: directory.path("data"))
    let farm = try await TestFarm(
      in: directory, ledger: .onDisk, access: .tokens,
      limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let again = TokenHolder(ada, of: farm)
    #expect(try await again.upload(Data("sevensi".utf8)).status == .contentTooLarge)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 100 * 86_400))
    #expect(try await again.upload(Data("sevensi".utf8)).status == .created)
    await farm.coordinator.stop()
  }

  @Test func `an upload with the wrong bytes no longer counts toward the limit`() async throws {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let wrong = try await ada.send(
      .put, "/assets/\(Digest.of(Data("sixsix".utf8)))", body: Data("sixsax".utf8))
    #expect(try await wrong.problem() == .digestMismatch)
    #expect(try await ada.upload(Data("sevensi".utf8)).status == .created)
  }

  @Test func `a removed asset no longer counts toward the limit`() async throws {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    #expect(try await ada.upload(Data("sixsix".utf8)).status == .created)
    #expect(try await ada.upload(Data("sevensi".utf8)).status == .contentTooLarge)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 100 * 86_400))
    #expect(try await ada.upload(Data("sevensi".utf8)).status == .created)
  }

  @Test func `assets without a size in the ledger are measured at startup`() async throws {
    let before = try await TestFarm(ledger: .onDisk, access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: before)
    #expect(try await ada.upload(Data("sixsix".utf8)).status == .created)
    await before.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.directory.path("data"), toPath: directory.path("data"))
    do {
      let database = try Database(.file(directory.path("data/ledger.sqlite")))
      try database.execute("UPDATE asset_owners SET bytes = NULL")
      try database.endLog()
    }
    let farm = try await TestFarm(
      in: directory, ledger: .onDisk, access: .tokens,
      limits: Limits { $0.assetBytesPerSubmitter = 10 })
    let again = TokenHolder(ada, of: farm)
    #expect(try await again.upload(Data("fives".utf8)).status == .contentTooLarge)
    #expect(try await again.upload(Data("four".utf8)).status == .created)
    await farm.coordinator.stop()
  }
}
