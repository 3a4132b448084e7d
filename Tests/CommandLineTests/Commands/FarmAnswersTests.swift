import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// How commands interpret the responses of a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FarmAnswersTests {
  private static func job(_ id: String, _ name: String) -> JobStatus {
    JobStatus(id: id, name: name, state: .queued, createdAt: Date(timeIntervalSince1970: 0))
  }

  /// Runs a command with a coordinator that has three jobs.
  private func sheaf(_ arguments: String...) async throws -> Program.Outcome {
    let jobs = [Self.job("5f0c1", "beach"), Self.job("5f0d2", "city"), Self.job("77aa3", "dawn")]
    var router = Router()
    router.get("/api/v1/jobs") { _ in .json(data: try FarmCoding.encode(jobs)) }
    router.get("/api/v1/jobs/{id}") { request in
      let id = try request.head.parameter("id")
      guard let job = jobs.first(where: { $0.id == id }) else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue, detail: "there is no job '\(id)'")
      }
      return .json(data: try FarmCoding.encode(job))
    }
    router.get("/api/v1/jobs/{id}/segments") { _ in
      .json(data: try FarmCoding.encode([SegmentStatus]()))
    }
    router.get("/api/v1/workers") { request in
      let isKnown = request.head.headers["Authorization"] != nil
      throw HTTPError(
        isKnown ? .forbidden : .unauthorized,
        type: (isKnown ? ProblemType.forbidden : .unauthorized).rawValue, detail: "no")
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      arguments + ["--coordinator", "http://127.0.0.1:\(server.port)"])
    await server.shutdown(grace: .zero)
    return outcome
  }

  @Test func `the beginning of an id is enough if it is the only one`() async throws {
    let outcome = try await sheaf("job", "7")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput.contains("dawn (77aa3)"))
    #expect(try await sheaf("job", "5f0c1").standardOutput.contains("beach"))
  }

  @Test func `the beginning of several ids lists them`() async throws {
    let outcome = try await sheaf("job", "5f0")
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains("2 jobs match: 5f0"))
    #expect(outcome.standardError.contains("5f0c1 queued beach"))
    #expect(outcome.standardError.contains("5f0d2 queued city"))
  }

  @Test func `the beginning of no id is named`() async throws {
    let outcome = try await sheaf("job", "9")
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("there is no job '9'"))
  }

  @Test func `a request that is not allowed has its own exit code`() async throws {
    let folder = try TemporaryDirectory()
    try Data("sheaf_observer\n".utf8).write(to: URL(fileURLWithPath: folder.path("token")))
    let unknown = try await sheaf("workers")
    #expect(unknown.status == 5)
    #expect(unknown.standardError.contains("not allowed: /workers"))
    #expect(unknown.standardError.contains("--token-file"))
    #expect(try await sheaf("workers", "--token-file", folder.path("token")).status == 5)
  }

  @Test func `plain HTTP to a port with TLS is recognized`() async throws {
    let folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    let server = try Server(
      ServerConfiguration(
        security: ServerSecurity(
          certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))),
      router: Router())
    let port = server.port
    let outcome = try Program.sheaf.run(["jobs", "--coordinator", "http://127.0.0.1:\(port)"])
    await server.shutdown(grace: .zero)
    #expect(outcome.status == 4)
    #expect(
      outcome.standardError
        == "sheaf: the coordinator uses TLS: http://127.0.0.1:\(port): use "
        + "https://127.0.0.1:\(port)\n")
  }

  @Test func `TLS to a plain port is recognized`() async throws {
    let server = try Server(ServerConfiguration(), router: Router())
    let port = server.port
    let outcome = try Program.sheaf.run(["jobs", "--coordinator", "https://127.0.0.1:\(port)"])
    await server.shutdown(grace: .zero)
    #expect(outcome.status == 4)
    #expect(
      outcome.standardError
        == "sheaf: the coordinator does not use TLS: https://127.0.0.1:\(port): use "
        + "http://127.0.0.1:\(port), or start the coordinator with --tls-certificate\n")
  }
}
