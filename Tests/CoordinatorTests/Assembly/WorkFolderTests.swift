import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// The chunks that an assembling process can reach.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct WorkFolderTests {
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
}
