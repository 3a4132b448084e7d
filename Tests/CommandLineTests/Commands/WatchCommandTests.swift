import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct WatchCommandTests {
  @Test func `sheaf watch shows the whole message of a failure`() async throws {
    let running = JobStatus(
      id: "1", name: "cut", state: .rendering, createdAt: Date(timeIntervalSince1970: 0))
    let findings = (1...200).map { "finding \($0) of 200" }
    let failed = { () -> JobStatus in
      var status = running
      status.state = .failed
      status.failure = JobFailure(
        code: .invalidProject, message: findings.joined(separator: "\n"))
      return status
    }()
    let event = ServerSentEvent(
      event: "job", data: String(decoding: try FarmCoding.encode(failed.listed), as: UTF8.self))
    #expect(!event.data.contains("finding 200 of 200"))
    let hasFailed = Mutex(false)
    var router = Router()
    router.get("/api/v1/jobs/1") { _ in
      let status = hasFailed.withLock { $0 } ? failed : running
      return .json(data: try FarmCoding.encode(status))
    }
    router.get("/api/v1/jobs/1/events") { _ in
      hasFailed.withLock { $0 = true }
      return .events(
        AsyncStream { continuation in
          continuation.yield(event)
          continuation.finish()
        })
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      ["watch", "1", "--coordinator", "http://127.0.0.1:\(server.port)"])
    await server.shutdown(grace: .zero)
    #expect(outcome.status != 0)
    for finding in findings {
      #expect(outcome.standardError.contains(finding), "\(outcome.standardError)")
    }
  }
}
