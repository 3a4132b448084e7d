import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf_coordinator

/// Checks of projects that create no job.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ProjectCheckTests {
  private func check(
    _ project: String, assets: [String: AssetReference] = [:], on farm: TestFarm
  ) async throws -> [ProjectFindings.Finding] {
    let response = try await farm.post(
      "/projects/check", JobSubmission(name: "cut", project: project, assets: assets))
    #expect(response.status == .ok)
    return try await response.wire(as: ProjectFindings.self).findings
  }

  @Test func `a sound project has no findings, and no job is created`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    #expect(try await check(TestFarm.project, assets: ["a.mp4": asset], on: farm) == [])
    #expect(try await farm.get("/jobs", as: [JobStatus].self).isEmpty)
    #expect(farm.media.probedNames == ["a.mp4"])
    try await eventually("the submission's files are removed") {
      try FileManager.default.contentsOfDirectory(atPath: farm.directory.path("data/uploads"))
        .allSatisfy { !$0.hasPrefix("submission") }
    }
  }

  @Test func `a finding has its place in the project and its message`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    let findings = try await check(
      "{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\", \"in\": 2, \"out\": 99}]}",
      assets: ["a.mp4": asset], on: farm)
    #expect(findings.map(\.path) == ["sequence[0].out"], "\(findings)")
    #expect(findings.first?.message.isEmpty == false)
    #expect(findings.first?.isWarning == false)
  }

  @Test func `a project that cannot be read has findings too`() async throws {
    let farm = try await TestFarm()
    let findings = try await check("{\"version\": 1, \"sequence\": [{\"clip\": 7}]}", on: farm)
    #expect(findings.map(\.path) == ["sequence[0].clip"], "\(findings)")
    #expect(try await check("{", on: farm).count == 1)
  }

  @Test func `missing assets are findings, and stored ones are examined`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    let absent = AssetReference(digest: Digest.of(Data("elsewhere".utf8)), byteCount: 9)
    let findings = try await check(
      """
      {"version": 1, "sequence": [
        {"clip": "a.mp4", "in": 2, "out": 99}, {"clip": "b.mp4"}, {"clip": "c.mp4"}]}
      """, assets: ["a.mp4": asset, "b.mp4": absent], on: farm)
    #expect(
      Set(findings.map(\.path)).isSuperset(of: ["sequence[1].clip", "sequence[2].clip"]),
      "\(findings)")
    #expect(farm.media.probedNames == ["a.mp4"])
    let missing = findings.first { $0.path == "sequence[1].clip" }
    #expect(missing?.message == "\(absent.digest) has not been uploaded: upload it", "\(findings)")
    #expect(missing?.missingAsset == absent.digest)
    #expect(findings.first { $0.path == "sequence[0].out" }?.missingAsset == nil)
  }

  @Test func `an unreadable asset is a finding`() async throws {
    let farm = try await TestFarm(
      media: FakeMedia(probing: { _ in
        throw JobError(FailureCode(rawValue: "not-media"), "it is not media")
      }))
    let asset = try await farm.upload(Data("a clip".utf8))
    let findings = try await check(TestFarm.project, assets: ["a.mp4": asset], on: farm)
    #expect(findings.map(\.path) == ["sequence[0].clip"], "\(findings)")
    #expect(findings.first?.message.contains("not media") == true, "\(findings)")
  }

  @Test func `another submitter's asset is missing`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let bytes = Data("a clip".utf8)
    #expect(try await ada.upload(bytes).status == .created)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project,
      assets: ["a.mp4": AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))])
    let body = try FarmCoding.encode(submission)
    let own: ProjectFindings = try await ada.send(.post, "/projects/check", body: body).wire()
    #expect(own.findings == [])
    let others: ProjectFindings = try await bob.send(.post, "/projects/check", body: body).wire()
    #expect(others.findings.count == 1)
  }

  @Test func `an invalid submission and a used-up quota are problems`() async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(.post, "/projects/check", body: Data("{}".utf8))
    #expect(try await response.problem() == .malformedRequest)
    let busy = try await TestFarm(
      media: FakeMedia(reading: { _, _ in throw JobError(.planningQuotaReached, "wait") }))
    let refused = try await busy.post(
      "/projects/check", JobSubmission(name: "cut", project: "{}", assets: [:]))
    #expect(refused.status == .tooManyRequests)
  }

  @Test func `a finding's steps are the keys and indexes of its path`() async throws {
    let farm = try await TestFarm()
    let findings = try await check(
      "{\"version\": 1, \"assets\": {\"a: b\": {\"path\": 7}}, \"composition\": {\"tracks\": []}}",
      on: farm)
    let finding = try #require(findings.first { $0.path == "assets[\"a: b\"].path" }, "\(findings)")
    #expect(finding.steps == ["assets", "a: b", "path"])
  }

  @Test func `a finding about text that is not JSON has no steps`() async throws {
    let farm = try await TestFarm()
    let findings = try await check("{", on: farm)
    #expect(findings.map(\.steps) == [[]], "\(findings)")
  }

  @Test func `an asset at a URL that would be fetched is a warning`() async throws {
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin("https://media.example"))]
    let farm = try await TestFarm(sources: sources)
    let findings = try await check(
      "{\"version\": 1, \"sequence\": [{\"clip\": \"https://media.example/a.mp4\"}]}", on: farm)
    #expect(findings.map(\.steps) == [["sequence", "0", "clip"]], "\(findings)")
    #expect(findings.map(\.isWarning) == [true])
    #expect(
      findings.map(\.message) == ["it is fetched and examined only when the job is planned"])
  }

  @Test func `an asset at a URL that is not allowed is not a warning`() async throws {
    let farm = try await TestFarm()
    let findings = try await check(
      "{\"version\": 1, \"sequence\": [{\"clip\": \"https://media.example/a.mp4\"}]}", on: farm)
    #expect(findings.map(\.isWarning) == [false], "\(findings)")
  }

  @Test func `a project that exceeds a limit on planning has a finding about the whole project`()
    async throws
  {
    let farm = try await TestFarm(
      media: FakeMedia(probing: { _ in throw JobError(.limitReached, "a.mp4: it is too long") }))
    let asset = try await farm.upload(Data("a clip".utf8))
    let findings = try await check(TestFarm.project, assets: ["a.mp4": asset], on: farm)
    #expect(findings.map(\.isWarning) == [false], "\(findings)")
  }
}
