import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing
import Timeline
import sheaf_coordinator

/// The concealed parts of a job's file. There can be thousands of them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ConcealmentTests {
  private static func parts(_ count: Int) -> [Concealment] {
    (0..<count).map { number in
      Concealment(
        asset: Digest.of(Data("a clip".utf8)), time: RationalTime(Int64(number)),
        frames: number..<number + 1)
    }
  }

  private static let sound = (0..<5).map { number in
    Concealment(
      asset: Digest.of(Data("a clip".utf8)), time: RationalTime(Int64(number)),
      duration: RationalTime(1))
  }

  /// Renders a job whose chunks all conceal damage, and returns it with its farm and the number of its chunks.
  private func damaged(
    partsPerChunk: Int
  ) async throws -> (TestFarm, JobStatus, chunks: Int) {
    let farm = try await TestFarm(media: FakeMedia(concealedSound: Self.sound))
    let worker = try await farm.register()
    let job = try await farm.submit(rerenders: false)
    var chunks = 0
    while true {
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease, concealing: Self.parts(partsPerChunk)).status == .ok)
      chunks += 1
      let counts = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments
      if counts.completed == counts.total { break }
    }
    #expect(try await farm.end(of: job).state == .completed)
    return (farm, job, chunks)
  }

  @Test(arguments: [1, 3, 30])
  func `a job has the count and the first of its concealed parts, and pages list all of them`(
    partsPerChunk: Int
  ) async throws {
    let (farm, job, chunks) = try await damaged(partsPerChunk: partsPerChunk)
    let count = chunks * partsPerChunk + Self.sound.count
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.concealedCount == count)
    #expect(status.concealed?.count == min(count, JobStatus.concealedLimit))
    #expect(status.concealed?.first?.asset == "a.mp4")
    let listed = try #require(try await farm.get("/jobs", as: [JobStatus].self).first)
    #expect(listed.concealedCount == count)
    #expect(listed.concealed == nil)

    var parts: [ConcealedMedia] = []
    while true {
      let page: [ConcealedMedia] = try await farm.get(
        "/jobs/\(job.id)/concealments?limit=50&after=\(parts.count)")
      #expect(page.count <= 50)
      parts += page
      try #require(parts.count <= count, "a part was listed twice")
      if page.count < 50 { break }
    }
    #expect(parts.count == count)
    #expect(Array(parts.prefix(JobStatus.concealedLimit)) == status.concealed)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    let expected = segments.flatMap { segment -> [Int?] in
      (0..<partsPerChunk).map { segment.first + $0 }
    }
    #expect(parts.map(\.firstFrame) == expected + Self.sound.map { _ in nil }, "the sound is last")
    let whole: [ConcealedMedia] = try await farm.get("/jobs/\(job.id)/concealments")
    #expect(whole == parts)
  }

  @Test func `a job that reuses chunks reports their concealed parts`() async throws {
    let (farm, _, chunks) = try await damaged(partsPerChunk: 30)
    let again = try await farm.submit(name: "again", rerenders: false)
    #expect(try await farm.end(of: again).segmentsReused == chunks)
    let status: JobStatus = try await farm.get("/jobs/\(again.id)")
    #expect(status.concealedCount == chunks * 30 + Self.sound.count)
  }

  @Test func `a job whose sound conceals too many parts fails and says so`() async throws {
    let error = JobError("too-many-concealments", "the sound would conceal too many parts: a.mp4")
    let farm = try await TestFarm(media: FakeMedia(mixing: { throw error }))
    let end = try await farm.end(of: farm.submit())
    #expect(end.state == .failed)
    #expect(end.failure == error.failure)
  }

  @Test func `impossible frame numbers in a concealment list are tolerated`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    let job = try await farm.submit()
    let part = Concealment(
      asset: Digest.of(Data("a clip".utf8)), time: RationalTime(1),
      frames: (Int.min + 1)..<Int.max)
    for _ in 0..<2 {
      #expect(try await farm.deliver(farm.lease(worker), concealing: [part]).status == .ok)
    }
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.concealed?.count == 2)
    let page: [ConcealedMedia] = try await farm.get("/jobs/\(job.id)/concealments")
    #expect(page == status.concealed)
    #expect(page.allSatisfy { ($0.firstFrame ?? -1) >= 0 })
  }
}
