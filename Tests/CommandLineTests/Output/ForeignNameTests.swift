import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// Names from outside in the output of `sheaf`.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ForeignNameTests {
  /// A name that clears the line, forges a second one, and reverses the text after it.
  static let name = "cut\u{1b}[2K\u{9b}31m\r\nsheaf: done\0\u{202e}4pm.exe"

  /// Runs `sheaf` with a coordinator that knows one failed job.
  private func sheaf(_ arguments: String...) async throws -> Program.Outcome {
    let job = JobStatus(
      id: "1", name: Self.name, submitter: nil, state: .failed,
      createdAt: Date(timeIntervalSince1970: 0),
      finishedAt: nil, planHash: nil, frameCount: nil, frameDuration: nil)
    var failed = job
    failed.failure = JobFailure(code: "bad", message: "asset \(Self.name)")
    let status = try FarmCoding.encode(failed)
    var router = Router()
    router.get("/api/v1/jobs") { _ in .json(data: Data("[".utf8) + status + Data("]".utf8)) }
    router.get("/api/v1/jobs/1") { _ in .json(data: status) }
    router.get("/api/v1/jobs/1/segments") { _ in .json(data: Data("[]".utf8)) }
    router.get("/api/v1/jobs/2") { _ in
      throw HTTPError(.notFound, detail: "there is no \(Self.name)")
    }
    let server = try Server(ServerConfiguration(), router: router)
    let url = "http://127.0.0.1:\(server.port)"
    let outcome = try Program.sheaf.run(arguments + ["--coordinator", url])
    await server.shutdown(grace: .zero)
    return outcome
  }

  /// The characters in the output that control a terminal, except the line ends that `sheaf` prints.
  private func obeyed(in outcome: Program.Outcome) -> [String] {
    (outcome.standardOutput + outcome.standardError).unicodeScalars
      .filter { $0 != "\n" && PrintableText(String($0)).description != String($0) }
      .map { String($0.value, radix: 16) }
  }

  @Test func `terminal control characters are escaped in lists, jobs and errors`() async throws {
    for outcome in [
      try await sheaf("jobs"), try await sheaf("job", "1"), try await sheaf("watch", "1"),
      try await sheaf("job", "2"),
    ] {
      #expect(obeyed(in: outcome) == [])
      #expect((outcome.standardOutput + outcome.standardError).contains(#"\u{1B}[2K"#))
      #expect(!outcome.standardOutput.contains("\nsheaf: done"))
      #expect(!outcome.standardError.contains("\nsheaf: done"))
    }
  }

  @Test func `JSON escapes control characters and keeps the name`() async throws {
    let outcome = try await sheaf("jobs", "--json")
    #expect(obeyed(in: outcome) == [])
    let jobs = try FarmCoding.decode([JobStatus].self, from: Data(outcome.standardOutput.utf8))
    #expect(jobs.first?.name == Self.name)
  }

  @Test func `the name of a local file is escaped`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("a\u{1b}[2K\n\u{202e}b.mp4")
    try SolidClip(color: (80, 128, 128), frameCount: 5).write(to: folder.path("a.mp4"))
    try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: path)
    let probed = try Program.sheaf.run(["probe", path])
    #expect(probed.status == 0, "\(probed.standardError)")
    #expect(obeyed(in: probed) == [])
    let missing = try Program.sheaf.run(["probe", path + "x"])
    #expect(missing.status == 1)
    #expect(obeyed(in: missing) == [])
  }
}
