import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import ProjectFormat
import Support
import Testing
import Timeline
import sheaf_coordinator

/// The pictures that a media process draws of an animation's layers.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LayerPictureTests {
  private static let project = #"""
    {"version": 1, "sequence": [{"clip": "a.mp4", "out": 1}],
     "animation": {"layers": [
       {"type": "solid", "color": "#ff0000", "bounds": {"x": 0, "y": 0, "width": 8, "height": 8}}]}}
    """#

  /// A farm whose media process writes `bytes` as each layer's picture and reports `digest` as its digest. It writes no
  /// file if `bytes` is `nil`.
  private func farm(
    writing bytes: Data?, as digest: Digest, access: Access.Policy = .loopback,
    limits: Limits = Limits()
  ) async throws -> TestFarm {
    try await TestFarm(
      media: FakeMedia(typeset: { request in
        try bytes?.write(to: URL(fileURLWithPath: "\(request.directory)/\(digest)"))
        return request.rasters.map { raster in
          let stream = MediaIndex.stillImage(size: PixelSize(width: 8, height: 8)).video[0]
          let area = PixelRect(x: 0, y: 0, width: 8, height: 8)
          let tile = RasterTile(asset: digest, byteCount: 5, area: area, stream: stream)
          return LayerRaster(path: raster.path, bounds: area, tiles: [tile])
        }
      }), access: access, limits: limits)
  }

  private func submit(to farm: TestFarm) async throws -> JobStatus {
    let clip = try await farm.upload(Data("a clip".utf8))
    return try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: Self.project, assets: ["a.mp4": clip])
    ).wire()
  }

  /// The bytes of an asset.
  private func asset(_ digest: Digest, on farm: TestFarm) async throws -> Data {
    try await farm.send(.get, "/assets/\(digest)").content()
  }

  @Test(arguments: ["forged", nil])
  func `a picture with another asset's digest fails its job, and the asset stays`(
    forged: String?
  ) async throws {
    let bytes = Data("somebody's".utf8)
    let farm = try await farm(writing: forged.map { Data($0.utf8) }, as: Digest.of(bytes))
    let known = try await farm.upload(bytes)
    let end = try await farm.end(of: submit(to: farm))
    #expect(end.state == .failed)
    #expect(try await asset(known.digest, on: farm) == bytes)
  }

  @Test(arguments: [true, false])
  func `a picture is stored as an asset, and an existing asset is not replaced`(isThere: Bool)
    async throws
  {
    let bytes = Data("image".utf8)
    let digest = Digest.of(bytes)
    let farm = try await farm(writing: bytes, as: digest)
    if isThere { _ = try await farm.upload(bytes) }
    let path = farm.directory.stored(digest, in: "assets")
    let before = try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    let job = try await submit(to: farm)
    let lease = try await farm.lease(farm.register())
    #expect(lease.job == job.id)
    #expect(lease.assets.contains { $0.digest == digest })
    let after = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    #expect(try Digest.of(file: path) == digest)
    if isThere { #expect(after == before) }
  }

  /// Submits a job with a clip of six bytes and a picture of five bytes to a farm that allows a submitter `quota` bytes
  /// of assets.
  ///
  /// - Returns: the submitter, and the job's status after planning.
  private func job(within quota: Int) async throws -> (ada: TokenHolder, status: JobStatus) {
    var limits = Limits()
    limits.assetBytesPerSubmitter = quota
    let bytes = Data("image".utf8)
    let farm = try await farm(
      writing: bytes, as: Digest.of(bytes), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let clip = Data("a clip".utf8)
    #expect(try await ada.upload(clip).status == .created)
    let submission = JobSubmission(
      name: "cut", project: Self.project,
      assets: ["a.mp4": AssetReference(digest: Digest.of(clip), byteCount: 6)])
    let job: JobStatus = try await ada.send(
      .post, "/jobs", body: FarmCoding.encode(submission)
    ).wire()
    let status: JobStatus = try await eventually("the job is planned") {
      try await ada.send(.get, "/jobs/\(job.id)").wire()
    } satisfies: {
      ![.queued, .planning].contains($0.state)
    }
    return (ada, status)
  }

  @Test func `pictures that exceed a submitter's limit of bytes fail the job`() async throws {
    let (_, status) = try await job(within: 10)
    #expect(status.failure?.code == "limit-reached")
    let message = status.failure?.message ?? ""
    #expect(
      message.hasPrefix(
        "the pictures of layers and the excerpts of recordings take 5 bytes, and ada has 6 bytes of assets: "
          + "the limit is 10 "),
      "\(message)")
  }

  @Test func `pictures count toward their submitter's limit of asset bytes`() async throws {
    let (ada, status) = try await job(within: 11)
    #expect(status.state == .rendering, "\(status.failure?.message ?? "")")
    #expect(try await ada.upload(Data("x".utf8)).problem() == .assetQuota)
  }

  @Test func `a failure lists the problems of clips, the encoder and layers together`() async throws
  {
    let farm = try await TestFarm(
      media: FakeMedia(
        wrong: [
          Finding(path: "export.video.options.me", problem: "it is wrong", remedy: "mend it")
        ],
        typeset: { _ in
          throw ProjectError(findings: [
            Finding(path: "animation.layers[0]", problem: "it is wrong", remedy: "mend it")
          ])
        }))
    let clip = try await farm.upload(Data("a clip".utf8))
    let project = Self.project.replacing(#""out": 1"#, with: #""out": 11"#).replacing(
      #""animation""#, with: #""export": {"video": {"options": {"me": 1}}}, "animation""#)
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: ["a.mp4": clip])
    ).wire()
    let end = try await farm.end(of: job)
    #expect(end.state == .failed)
    #expect(
      end.failure?.message.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
        "sequence[0].out", "export.video.options.me", "animation.layers[0]",
      ])
  }
}
