import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Timeline
import sheaf_coordinator

/// A media server on this host, and jobs whose assets are fetched from it.
struct FetchSite {
  /// The bytes of the server's file.
  static let bytes = Data(
    (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
  /// The SHA-256 of ``bytes``.
  static let digest = Digest.of(bytes)
  let server: MediaServer

  init() throws { server = try MediaServer(Self.bytes) }

  /// Settings that allow fetching from this server only.
  func sources(isPrivate: Bool = true) throws -> AssetSources {
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = isPrivate
    return sources
  }

  /// A project that plays the asset "beach" at a URL.
  func project(_ url: String) -> String {
    """
    {"version": 1, "assets": {"beach": {"url": "\(url)"}}, "composition": {"tracks": [
      {"id": 1, "mediaType": "video", "segments": [
        {"asset": "beach", "source": {"start": 0, "duration": 10},
         "target": {"start": 0, "duration": 10}}]}]}}
    """
  }

  /// Submits a project that plays the asset at a URL.
  func submit(_ url: String, to farm: TestFarm) async throws -> JobStatus {
    let submission = JobSubmission(name: "cut", project: project(url), assets: [:])
    return try await farm.post("/jobs", submission).wire()
  }

  /// Submits a project that plays the asset at a URL, as the holder of a token.
  func submit(_ url: String, as holder: TokenHolder) async throws -> JobStatus {
    let submission = JobSubmission(name: "cut", project: project(url), assets: [:])
    return try await holder.send(.post, "/jobs", body: FarmCoding.encode(submission)).wire()
  }

  /// Waits until no partial files of fetches are left.
  func waitUntilNothingIsLeft(by farm: TestFarm) async throws {
    let uploads = farm.directory.path("data/uploads")
    try await eventually("no partial files are left") {
      try FileManager.default.contentsOfDirectory(atPath: uploads)
    } satisfies: {
      $0.isEmpty
    }
  }

  /// Renders a job whose segments are all pending.
  func finish(_ job: JobStatus, on farm: TestFarm) async throws -> JobStatus {
    let worker = try await farm.register()
    repeat {
      let lease = try await farm.lease(worker)
      #expect(lease.assets.map(\.digest) == [Self.digest])
      #expect(try await farm.deliver(lease).status == .ok)
    } while try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.pending > 0
    return try await farm.end(of: job)
  }

  /// Submits a project that plays a second of each clip.
  func submit(
    sequenceOf clips: [String], _ assets: [String: AssetReference], to farm: TestFarm
  ) async throws -> JobStatus {
    let items = clips.map { #"{"clip": "\#($0)", "out": 1}"# }.joined(separator: ",")
    let submission = JobSubmission(
      name: "long", project: #"{"version": 1, "sequence": [\#(items)]}"#, assets: assets,
      rerenders: true)
    let response = try await farm.post("/jobs", submission)
    #expect(response.status == .created)
    return try await response.wire()
  }
}
