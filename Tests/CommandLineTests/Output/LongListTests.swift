import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// Lists that a coordinator sends in parts.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LongListTests {
  private static let segments = (0..<2500).map {
    SegmentStatus(
      index: $0, first: $0, end: $0 + 1, state: .completed, attempts: 1, worker: "rack",
      framesRendered: 1)
  }
  private static let parts = (0..<1500).map {
    ConcealedMedia(asset: "beach.mp4", time: Double($0), firstFrame: $0, frameCount: 1)
  }

  private static var job: JobStatus {
    var job = JobStatus(
      id: "1", name: "cut", state: .completed, createdAt: Date(timeIntervalSince1970: 0))
    job.concealedCount = parts.count
    job.concealed = Array(parts.prefix(JobStatus.concealedLimit))
    return job
  }

  /// A part of a list, as a coordinator limits it.
  private static func part(_ list: [some Encodable], from start: Int, _ request: Request) throws
    -> Response
  {
    let limit = min(1000, request.query["limit"].flatMap { Int($0) } ?? 1000)
    return .json(data: try FarmCoding.encode(Array(list.dropFirst(start).prefix(limit))))
  }

  @Test func `sheaf job shows all segments and all concealed parts`() async throws {
    var router = Router()
    router.get("/api/v1/jobs/1") { _ in .json(data: try FarmCoding.encode(Self.job)) }
    router.get("/api/v1/jobs/1/segments") { request in
      let after = request.query["after"].flatMap { Int($0) } ?? -1
      return try Self.part(Self.segments, from: after + 1, request)
    }
    router.get("/api/v1/jobs/1/concealments") { request in
      let after = request.query["after"].flatMap { Int($0) } ?? 0
      return try Self.part(Self.parts, from: after, request)
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      ["job", "1", "--coordinator", "http://127.0.0.1:\(server.port)"])
    await server.shutdown(grace: .zero)
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("concealed: beach.mp4") } == Self.parts.count)
    #expect(lines.count { $0.contains("completed") && $0.contains("rack") } == Self.segments.count)
    #expect(lines.last?.hasPrefix("2499 ") == true, "\(lines.last ?? "")")
  }
}
