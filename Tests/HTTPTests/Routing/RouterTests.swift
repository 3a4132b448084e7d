import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct RouterTests {
  private static let router: Router = {
    var router = Router()
    for pattern in [
      "/", "/jobs", "/jobs/{id}", "/jobs/latest", "/jobs/{id}/output", "/{kind}/list",
    ] {
      router.get(pattern) { request in
        let parameters = request.parameters.sorted { $0.key < $1.key }
        return .text("\(pattern) \(parameters.map { "\($0)=\($1)" }.joined(separator: " "))")
      }
    }
    router.post("/jobs") { .text(String(decoding: $0.body, as: UTF8.self), status: .created) }
    router.delete("/jobs/{id}") { _ in Response(.noContent) }
    return router
  }()

  private func respond(
    _ method: HTTP.Method, _ target: String, body: String = ""
  ) async throws -> Response {
    await Self.router.respond(to: try Request(method, target, body: Data(body.utf8)))
  }

  private func text(_ response: Response) async throws -> String {
    String(decoding: try await response.content(), as: UTF8.self)
  }

  @Test(arguments: [
    ("/", "/ "), ("/jobs", "/jobs "), ("/jobs/7", "/jobs/{id} id=7"),
    ("/jobs/latest", "/jobs/latest "), ("/jobs/7/output", "/jobs/{id}/output id=7"),
    ("/jobs/a%2Fb", "/jobs/{id} id=a/b"), ("/jobs/%C3%BC", "/jobs/{id} id=ü"),
    ("/jobs/list", "/jobs/{id} id=list"), ("/assets/list", "/{kind}/list kind=assets"),
    ("/jobs?state=queued", "/jobs "),
  ])
  func `a path is routed to the most specific pattern`(_ target: String, _ answer: String)
    async throws
  {
    #expect(try await text(respond(.get, target)) == answer)
  }

  @Test(arguments: ["/none", "/jobs/", "/jobs//output", "//", "/jobs/7/output/more"])
  func `a path without a matching pattern is a 404 that names it`(_ target: String) async throws {
    let response = try await respond(.get, target)
    #expect(response.status == .notFound)
    #expect(response.headers["content-type"] == "application/problem+json")
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    #expect(problem.detail == "there is nothing at \(target)")
  }

  @Test func `an unsupported method is a 405 that lists the supported ones`() async throws {
    let response = try await respond(.put, "/jobs/7")
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers["Allow"] == "GET, HEAD, DELETE")
  }

  @Test func `HEAD is handled by the handler of GET`() async throws {
    #expect(try await respond(.head, "/jobs/7").status == .ok)
  }

  @Test func `a body reaches its handler`() async throws {
    let response = try await respond(.post, "/jobs", body: "cut")
    #expect(response.status == .created)
    #expect(try await text(response) == "cut")
  }

  @Test func `an upload in process is written to its sink too`() async throws {
    var router = Router()
    router.upload(.put, "/assets/{digest}", open: { _ in HashingSink(limit: 5) }) { head, sink in
      .text("\(try head.parameter("digest")) \(sink.count)")
    }
    let small = try Request(.put, "/assets/a", body: Data(count: 5))
    #expect(try await text(router.respond(to: small)) == "a 5")
    let large = try Request(.put, "/assets/a", body: Data(count: 6))
    #expect(await router.respond(to: large).status == .insufficientStorage)
  }

  @Test(arguments: [
    ("", "$: The given data was not valid JSON."),
    ("{}", "$: 'name' is missing"),
    (#"{"name": 5, "parts": []}"#, "$.name: the value has the wrong type"),
    (
      #"{"name": "a", "parts": [{"size": "x"}]}"#,
      "$.parts[0].size: the value has the wrong type"
    ),
  ])
  func `an invalid body is rejected with 400, and the error names the invalid value`(
    _ body: String, _ reason: String
  ) async throws {
    struct Part: Decodable { let size: Int }
    struct Document: Decodable {
      let name: String
      let parts: [Part]
    }
    var router = Router()
    router.post("/") { request in
      _ = try request.json(Document.self)
      return Response(.noContent)
    }
    let response = await router.respond(to: try Request(.post, "/", body: Data(body.utf8)))
    #expect(response.status == .badRequest)
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    #expect(problem.detail == "the body cannot be read: \(reason)")
  }

  @Test(arguments: [
    (Status.insufficientStorage, true), (.internalServerError, true), (.serviceUnavailable, false),
    (.notFound, false),
  ])
  func `a failure that is the server's fault is reported`(
    status: Status, isReported: Bool
  ) async throws {
    var router = Router()
    router.get("/") { _ in throw HTTPError(status, detail: "told to fail") }
    var reports: [String] = []
    let response = await router.respond(to: try Request(.get, "/")) { error, _ in
      reports.append("\(error)")
    }
    #expect(response.status == status)
    #expect(reports.count == (isReported ? 1 : 0), "\(reports)")
  }

  @Test func `a problem has its type, its members and its headers`() async throws {
    var router = Router()
    router.get("/") { _ in
      throw HTTPError(
        .conflict, type: "/problems/stale-lease", detail: "the lease expired",
        headers: ["Retry-After": "1"], members: ["worker": "w1"])
    }
    let response = await router.respond(to: try Request(.get, "/"))
    #expect(response.headers["Retry-After"] == "1")
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: await response.content())
    #expect(
      problem
        == ProblemDocument(
          type: "/problems/stale-lease", title: "Conflict", status: 409,
          detail: "the lease expired", members: ["worker": "w1"]))
  }
}
