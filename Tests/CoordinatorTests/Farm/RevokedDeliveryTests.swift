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

/// Chunks whose token is revoked at an awkward time, and the queries that find chunks to forget.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RevokedDeliveryTests {
  @Test func `a chunk whose token is revoked while the chunk is flushed to disk is refused`()
    async throws
  {
    let trusting = try await TrustingFarm()
    let mallory = trusting.mallory
    let job = try await trusting.submit()
    let lease = try await mallory.lease(mallory.register(name: "m"))
    let folder = trusting.farm.directory.path("data/uploads/chunk-")
    FileWrites.judge(under: folder) { _, count in
      // A count of 1 stands for flushing the whole file to disk.
      if count == 1 { try? mallory.revoke() }
      return count
    }
    defer { FileWrites.judge(under: folder, by: nil) }
    let response = try await mallory.deliver(lease, TrustingFarm.forged(lease))
    #expect(response.status == .unauthorized)
    let segments: [SegmentStatus] = try await trusting.root.send(.get, "/jobs/\(job)/segments")
      .wire()
    #expect(segments.allSatisfy { $0.state != .completed })
  }

  @Test func `chunks that arrive after a selection is applied are forgotten until it ends`()
    async throws
  {
    let trusting = try await TrustingFarm()
    let rack = trusting.rack
    let job = try await trusting.submit()
    let worker = try await rack.register(name: "r")
    let selection = ChunkSelection(worker: "r", until: Date(timeIntervalSinceNow: 3600))
    try ForgetFile(data: trusting.farm.directory.path("data")).update { $0.append(selection) }
    await trusting.farm.coordinator.dropUntrusted()
    let lease = try await rack.lease(worker)
    #expect(try await rack.deliver(lease).status == .ok)
    await trusting.farm.coordinator.dropUntrusted()
    let segments: [SegmentStatus] = try await trusting.root.send(.get, "/jobs/\(job)/segments")
      .wire()
    #expect(segments[lease.segment].state == .pending)
  }

  @Test(arguments: [
    ChunkSelection(token: "t"), ChunkSelection(worker: "w"),
    ChunkSelection(worker: "w", since: Date(), until: Date()),
  ])
  func `deliveries are found through an index, not by a full scan`(
    selection: ChunkSelection
  ) throws {
    let ledger = try Ledger(.memory)
    let (text, values) = selection.query
    var plan: [String] = []
    try ledger.connection.each("EXPLAIN QUERY PLAN \(text)", bind: values) {
      plan.append(try $0.get("detail"))
    }
    #expect(!plan.contains { $0.hasPrefix("SCAN deliveries") }, "\(plan)")
    #expect(plan.contains { $0.hasPrefix("SEARCH deliveries USING ") }, "\(plan)")
  }
}
