import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// `sheaf fetch` of a file that the coordinator checks for longer than the patience.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FetchCheckTests {
  private static let film = Data("a long film".utf8)

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Fetches from a coordinator that answers `checks` times that it is checking the file. Returns the waits that the
  /// command requested.
  private func fetch(
    checks: Int, patience: String, bytesRead: @escaping @Sendable (Int) -> Int
  ) async throws -> (outcome: Program.Outcome, waits: [Duration?]) {
    var job = JobStatus(
      id: "1", name: "cut", submitter: nil, state: .completed,
      createdAt: Date(timeIntervalSince1970: 0), finishedAt: nil, planHash: nil, frameCount: nil,
      frameDuration: nil)
    job.output = OutputFile(
      fileName: "cut.mp4", byteCount: Int64(Self.film.count), sha256: Digest.of(Self.film))
    let status = try FarmCoding.encode(job)
    let waits = Mutex<[Duration?]>([])
    var router = Router()
    router.get("/api/v1/jobs/1") { _ in .json(data: status) }
    router.get("/api/v1/jobs/1/output") { request in
      let count = waits.withLock { waits in
        waits.append(request.headers.preferredWait)
        return waits.count
      }
      guard count > checks else {
        throw HTTPError(
          .serviceUnavailable, type: ProblemType.outputCheck.rawValue,
          detail: "the finished file is being checked",
          members: [ProblemType.bytesReadMember: "\(bytesRead(count))"])
      }
      return Response(
        .ok, headers: ["ETag": "\"\(Digest.of(Self.film))\""], body: .bytes(Self.film))
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      [
        "fetch", "1", "-o", "out.mp4", "--patience", patience, "--coordinator",
        "http://127.0.0.1:\(server.port)",
      ], in: folder.path)
    await server.shutdown(grace: .zero)
    return (outcome, waits.withLock { $0 })
  }

  @Test func `a fetch waits while the coordinator makes progress checking the file`() async throws {
    let (outcome, waits) = try await fetch(checks: 5, patience: "0") { 1000 * $0 }
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(try Data(contentsOf: URL(filePath: folder.path("out.mp4"))) == Self.film)
    #expect(waits == [Duration?](repeating: .seconds(20), count: 6))
    let lines = outcome.standardError.split(separator: "\n")
    #expect(lines.count { $0.contains("the finished file is being checked") } == 1)
  }

  @Test func `a fetch gives up if a check makes no progress within its patience`() async throws {
    let (outcome, waits) = try await fetch(checks: .max, patience: "1") { _ in 1000 }
    #expect(outcome.status == 4)
    #expect(outcome.standardError.contains("the finished file is being checked"))
    #expect(waits.count > 2)
  }
}
