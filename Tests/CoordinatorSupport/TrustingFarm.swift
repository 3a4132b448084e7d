import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// A farm with tokens for a submitter, two workers and an admin.
package struct TrustingFarm {
  package let farm: TestFarm
  package let ada: TokenHolder
  package let mallory: TokenHolder
  package let rack: TokenHolder
  package let root: TokenHolder

  /// The file that honest workers produce.
  package static let honest = (0..<9).map { "<\($0)>" }.joined()
  /// The file whose chunks are all forged.
  package static let forgery = (0..<9).map { "{\($0)}" }.joined()

  /// The forged chunk of a lease's segment.
  package static func forged(_ lease: Lease) -> Data { Data("{\(lease.segment)}".utf8) }

  package init(
    media: FakeMedia = FakeMedia(), in directory: TemporaryDirectory? = nil,
    storage: StorageSettings = StorageSettings(),
    auditShare: Double = 0, calendar: @escaping @Sendable () -> Date = { Date() },
    log: Log = Log(.quiet) { _ in }
  ) async throws {
    farm = try await TestFarm(
      media: media, in: directory, ledger: .onDisk, storage: storage, access: .tokens,
      auditShare: auditShare, calendar: calendar, log: log)
    ada = try TokenHolder(.submitter, "ada", of: farm)
    mallory = try TokenHolder(.worker, "mallory", of: farm)
    rack = try TokenHolder(.worker, "rack", of: farm)
    root = try TokenHolder(.admin, "root", of: farm)
  }

  package func submit(as holder: TokenHolder? = nil) async throws -> String {
    let holder = holder ?? ada
    let bytes = Data("a clip".utf8)
    #expect(try await holder.upload(bytes).status == .created)
    let response = try await holder.submit(
      AssetReference(digest: Digest.of(bytes), byteCount: Int64(bytes.count)))
    return try await response.wire(as: JobStatus.self).id
  }

  package func status(of job: String) async throws -> JobStatus {
    try await root.send(.get, "/jobs/\(job)").wire()
  }

  package func output(of job: String) async throws -> String {
    let response = try await root.send(.get, "/jobs/\(job)/output")
    return String(decoding: try await response.content(), as: UTF8.self)
  }

  /// The value of a metric, whose name includes its labels; `nil` if it is not listed.
  package func metric(_ name: String) async throws -> Int? {
    let response = try await farm.respond(
      to: .get, "/metrics", headers: ["Authorization": "Bearer \(root.token)"])
    let lines = String(decoding: try await response.content(), as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  /// Runs a subcommand on the data directory while the coordinator runs.
  package func command(_ arguments: String...) throws -> Program.Outcome {
    try Program.coordinator.run(arguments + ["--data", farm.directory.path("data")])
  }
}
