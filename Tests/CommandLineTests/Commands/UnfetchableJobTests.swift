import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// `sheaf fetch` of a job that has no file.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct UnfetchableJobTests {
  private struct Fetch {
    let outcome: Program.Outcome
    /// The coordinator's address as an option.
    let option: String
    /// The number of requests.
    let requests: Int
    let leavesFiles: Bool
  }

  /// Fetches from a coordinator whose job is in a state.
  private func fetch(_ state: JobState, _ failure: JobFailure? = nil) async throws -> Fetch {
    let status = JobStatus(
      id: "5f0c", name: "cut", state: state, createdAt: Date(timeIntervalSince1970: 0),
      failure: failure)
    let body = try FarmCoding.encode(status)
    let requests = Mutex(0)
    var router = Router()
    router.get("/api/v1/jobs/5f0c") { _ in
      requests.withLock { $0 += 1 }
      return .json(data: body)
    }
    router.get("/api/v1/jobs/5f0c/output") { _ in
      requests.withLock { $0 += 1 }
      throw HTTPError(.serviceUnavailable, type: ProblemType.outputCheck.rawValue, detail: "")
    }
    let server = try Server(ServerConfiguration(), router: router)
    let folder = try TemporaryDirectory()
    let url = "http://127.0.0.1:\(server.port)"
    let outcome = try Program.sheaf.run(
      ["fetch", "5f0c", "-o", "out.mp4", "--coordinator", url], in: folder.path)
    await server.shutdown(grace: .zero)
    return Fetch(
      outcome: outcome, option: "--coordinator \(url)", requests: requests.withLock { $0 },
      leavesFiles: try !FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a fetch of a cancelled job fails at once and says so`() async throws {
    let fetch = try await fetch(.cancelled)
    #expect(fetch.outcome.status == 1)
    #expect(
      fetch.outcome.standardError
        == "sheaf: there is no file to fetch: 5f0c: the job was cancelled; submit the project again\n"
    )
    #expect(fetch.requests == 1)
    #expect(!fetch.leavesFiles)
  }

  @Test(
    arguments: [
      (.storage, "a.mp4: cannot be read", "a.mp4: cannot be read", 1),
      (.invalidProject, "one\ntwo\nthree", "one (and 2 more)", 3),
    ] as [(FailureCode, String, String, Int32)])
  func `a fetch of a failed job fails at once and reports the reason in one line`(
    code: FailureCode, message: String, reason: String, status: Int32
  ) async throws {
    let fetch = try await fetch(.failed, JobFailure(code: code, message: message))
    #expect(fetch.outcome.status == status)
    #expect(
      fetch.outcome.standardError
        == "sheaf: there is no file to fetch: 5f0c: the job failed: \(reason);"
        + " see `sheaf job 5f0c \(fetch.option)`, and submit the project again\n")
    #expect(fetch.requests == 1)
    #expect(!fetch.leavesFiles)
  }

  @Test func `a fetch of a job that is being rendered names the command that waits`() async throws {
    let fetch = try await fetch(.rendering)
    #expect(fetch.outcome.status == 1)
    #expect(
      fetch.outcome.standardError
        == "sheaf: there is no file to fetch: 5f0c: the job is rendering;"
        + " wait with `sheaf watch 5f0c \(fetch.option)`\n")
    #expect(fetch.requests == 1)
  }
}
