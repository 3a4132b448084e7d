import CoordinatorSupport
import FarmAPI
import HTTP
import Support
import Testing

/// Lists of jobs and of their segments, page by page.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobListTests {
  @Test func `a list of jobs comes in pages that continue where the previous one ended`()
    async throws
  {
    let farm = try await TestFarm()
    var ids: [String] = []
    for _ in 0..<5 { ids.insert(try await farm.submit().id, at: 0) }
    var listed: [String] = []
    var query = "?limit=2"
    while true {
      let page: [JobStatus] = try await farm.get("/jobs\(query)")
      #expect(page.count <= 2)
      guard let last = page.last else { break }
      listed += page.map(\.id)
      try #require(listed.count <= ids.count, "a job was listed twice")
      query = "?limit=2&before=\(last.id)"
    }
    #expect(listed == ids)
  }

  @Test
  func `a job's segments come in pages that continue where the previous one ended`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    _ = try await farm.lease(farm.register())
    let whole: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(whole.count > 4)
    var listed: [SegmentStatus] = []
    while true {
      let after = listed.last.map { "&after=\($0.index)" } ?? ""
      let page: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments?limit=4\(after)")
      #expect(page.count <= 4)
      listed += page
      try #require(listed.count <= whole.count, "a segment was listed twice")
      if page.count < 4 { break }
    }
    #expect(listed == whole)
    #expect(listed.map(\.index) == Array(0..<whole.count))
  }

  @Test(.timeLimit(.minutes(15)))
  func `lists and events cut a failure's message to 1 KiB, and the job has all of it`() async throws
  {
    let message = String(repeating: "wörd ", count: 10 << 10)
    let farm = try await TestFarm(media: FakeMedia(failure: .init(description: message)))
    let job = try await farm.submit()
    let end = try await farm.end(of: job)
    let listed = try #require(try await farm.get("/jobs", as: [JobStatus].self).first)
    for status in [end, listed] {
      let shown = try #require(status.failure?.message)
      #expect(shown.utf8.count <= 1024 && shown.utf8.count > 1000)
      #expect(shown.hasSuffix("…") && message.hasPrefix(shown.dropLast()), "\(shown)")
    }
    let whole: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(whole.failure?.message == message)
  }

  @Test(arguments: ["limit=0", "limit=1001", "after=x", "after=-1"])
  func `an invalid page of segments or concealed parts is refused`(
    query: String
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    for list in ["segments", "concealments"] {
      #expect(try await farm.send(.get, "/jobs/\(job.id)/\(list)?\(query)").status == .badRequest)
    }
  }

  @Test(arguments: [
    ("limit=0", Status.badRequest), ("limit=x", .badRequest), ("before=x", .notFound),
  ])
  func `an invalid page of jobs is refused`(query: String, status: Status) async throws {
    let farm = try await TestFarm()
    #expect(try await farm.send(.get, "/jobs?\(query)").status == status)
  }
}
