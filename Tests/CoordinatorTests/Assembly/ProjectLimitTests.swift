import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf_coordinator

/// Projects and plans beyond a limit of their farm. Each error names the limit that was reached.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ProjectLimitTests {
  private func farm(_ change: (inout PlanningLimits) -> Void) async throws -> TestFarm {
    var limits = Limits()
    change(&limits.planning)
    return try await TestFarm(limits: limits)
  }

  private static func clips(_ count: Int) -> String {
    let clips = (0..<count).map { "{\"clip\": \"a.mp4\", \"out\": \"\($0 + 1)/100\"}" }
    return "{\"version\": 1, \"sequence\": [\(clips.joined(separator: ", "))]}"
  }

  private static let tracks = """
    {"version": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [
      {"id": 1, "mediaType": "video", "segments": [{"asset": "a",
        "source": {"start": 0, "duration": 1}, "target": {"start": 0, "duration": 1}}]},
      {"id": 2, "mediaType": "video", "segments": []},
      {"id": 3, "mediaType": "video", "segments": []}]}}
    """

  @Test(arguments: [
    ("--max-project-values", \PlanningLimits.values, 20, clips(10)),
    ("--max-project-clips", \PlanningLimits.clips, 9, clips(10)),
    ("--max-project-tracks", \PlanningLimits.tracks, 2, tracks),
    (
      "--max-project-files", \PlanningLimits.files, 1,
      "{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\"}, {\"clip\": \"b.mp4\"}]}"
    ),
  ])
  func `a project beyond a limit is refused with 413, and the error names the limit`(
    option: String, limit: any WritableKeyPath<PlanningLimits, Int> & Sendable, value: Int,
    project: String
  ) async throws {
    let farm = try await farm { $0[keyPath: limit] = value }
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: [:]))
    #expect(response.status == .contentTooLarge)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains("(\(option))"), "\(text)")
    #expect(text.contains(ProblemType.limitReached.rawValue))
  }

  @Test(arguments: [
    ("--max-segments-per-job", \PlanningLimits.segments, 1),
    ("--max-segment-bytes", \PlanningLimits.segmentBytes, 64),
  ])
  func `a plan beyond a limit fails its job, and the failure names the limit`(
    option: String, limit: any WritableKeyPath<PlanningLimits, Int> & Sendable, value: Int
  ) async throws {
    let farm = try await farm { $0[keyPath: limit] = value }
    let end = try await farm.end(of: farm.submit())
    #expect(end.state == .failed)
    #expect(end.failure?.code == "limit-reached")
    #expect(end.failure?.message.contains("(\(option))") == true)
  }
}
