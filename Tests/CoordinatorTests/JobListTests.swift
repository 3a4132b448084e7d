import FarmAPI
import HTTP
import Testing

struct JobListTests {
  @Test func `a list comes in pages, each going on before the last job of the one before`()
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
      query = "?limit=2&before=\(last.id)"
    }
    #expect(listed == ids)
  }

  @Test(arguments: [
    ("limit=0", Status.badRequest), ("limit=x", .badRequest), ("before=x", .notFound),
  ])
  func `a page that makes no sense is refused`(query: String, status: Status) async throws {
    let farm = try await TestFarm()
    #expect(try await farm.send(.get, "/jobs?\(query)").status == status)
  }
}
