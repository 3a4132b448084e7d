import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// `sheaf workers` with a coordinator that distrusts one of its workers.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct WorkersCommandTests {
  private static let reason = "its chunk is not the one that two other workers delivered"

  private static func workers(isTrusted: Bool) -> [WorkerStatus] {
    [
      WorkerStatus(
        id: "w1", name: "rack", slots: 2, leases: 0, state: isTrusted ? .active : .distrusted,
        segmentsCompleted: 5, segmentsFailed: 1, secondsSinceSeen: 2,
        reason: isTrusted ? nil : reason),
      WorkerStatus(
        id: "w2", name: "tower", slots: 1, leases: 1, state: .active, segmentsCompleted: 7,
        segmentsFailed: 0, secondsSinceSeen: 3),
    ]
  }

  /// Runs commands one after the other with one coordinator, and returns their outcomes and its address.
  private func sheaf(
    _ commands: [String]...
  ) async throws -> (outcomes: [Program.Outcome], url: String) {
    let isTrusted = Mutex(false)
    var router = Router()
    router.get("/api/v1/workers") { _ in
      .json(data: try FarmCoding.encode(Self.workers(isTrusted: isTrusted.withLock { $0 })))
    }
    router.post("/api/v1/workers/{id}/resume") { request in
      let id = try request.head.parameter("id")
      isTrusted.withLock { $0 = $0 || id == "w1" }
      guard let worker = Self.workers(isTrusted: true).first(where: { $0.id == id }) else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue, detail: "there is no worker '\(id)'")
      }
      return .json(data: try FarmCoding.encode(worker))
    }
    let server = try Server(ServerConfiguration(), router: router)
    let url = "http://127.0.0.1:\(server.port)"
    let outcomes = try commands.map {
      try Program.sheaf.run(["workers", "--coordinator", url] + $0)
    }
    await server.shutdown(grace: .zero)
    return (outcomes, url)
  }

  @Test func `a distrusted worker is listed with the reason and the command that resumes it`()
    async throws
  {
    let (outcomes, url) = try await sheaf([])
    let lines = outcomes[0].standardOutput.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("w1  distrusted  2"))
    #expect(lines[2].hasPrefix("w2  active      1"))
    #expect(
      lines[3] == "rack (w1) gets no leases: \(Self.reason): to resume it: "
        + "sheaf workers --resume w1 --coordinator \(url)")
  }

  @Test func `the command that resumes a worker asks for an admin's token if tokens are used`()
    async throws
  {
    let folder = try TemporaryDirectory()
    let file = folder.path("observer.token")
    try Data("sheaf_observer\n".utf8).write(to: URL(fileURLWithPath: file))
    let (outcomes, url) = try await sheaf(["--token-file", file])
    let line = try #require(outcomes[0].standardOutput.split(separator: "\n").last)
    #expect(
      line == "rack (w1) gets no leases: \(Self.reason): to resume it, with an admin's "
        + "token: sheaf workers --resume w1 --coordinator \(url) --token-file ADMIN-TOKEN-FILE")
  }

  @Test func `a worker that is resumed is trusted again`() async throws {
    let (outcomes, _) = try await sheaf(
      ["--resume", "w1"], [], ["--resume", "w1", "--json"])
    #expect(outcomes.map(\.status) == [0, 0, 0])
    #expect(outcomes[0].standardOutput == "w1 active\n")
    #expect(!outcomes[1].standardOutput.contains("distrusted"))
    let worker = try FarmCoding.decode(
      WorkerStatus.self, from: Data(outcomes[2].standardOutput.utf8))
    #expect(worker == Self.workers(isTrusted: true)[0])
  }

  @Test func `an unknown worker is named`() async throws {
    let (outcomes, _) = try await sheaf(["--resume", "w9"], [])
    #expect(outcomes[0].status == 1)
    #expect(outcomes[0].standardError.contains("there is no worker 'w9'"))
    #expect(outcomes[1].standardOutput.contains("distrusted"))
  }
}
