import Crypto
import FarmAPI
import Foundation
import HTTP
import Processes
import Support
import Synchronization
import Testing

/// `sheaf fetch` from a coordinator on the same host, whose file it copies.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LocalCopyTests {
  /// The bytes that the coordinator sends.
  private static let sent = Data(repeating: 1, count: 3000)

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// An answer to a request for the file.
  private struct Answer: Sendable {
    var tag = Digest.of(LocalCopyTests.sent)
    /// Passes a file to a socket, and returns whether the answer states that. The bytes are sent if `nil`.
    var pass: (@Sendable (_ socket: String) -> Bool)?
  }

  /// Fetches a file from a coordinator with the given answers, the last of which it repeats. Returns the fetched bytes.
  ///
  /// - Parameter left: the number of temporary files that are left.
  private func fetch(_ answers: Answer..., leaving left: Int = 0) async throws -> Data {
    var job = JobStatus(
      id: "1", name: "cut", submitter: nil, state: .completed,
      createdAt: Date(timeIntervalSince1970: 0), finishedAt: nil, planHash: nil, frameCount: nil,
      frameDuration: nil)
    job.output = OutputFile(
      fileName: "cut.mp4", byteCount: Int64(Self.sent.count), sha256: Digest.of(Self.sent))
    let status = try FarmCoding.encode(job)
    let coming = Mutex(answers[...])
    var router = Router()
    router.get("/api/v1/jobs/1") { _ in .json(data: status) }
    router.get("/api/v1/jobs/1/output") { request in
      let answer = coming.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
      let headers: Headers = ["ETag": "\"\(answer.tag)\""]
      if let pass = answer.pass, let socket = request.headers["Sheaf-File-Socket"], pass(socket) {
        return Response(.noContent, headers: headers)
      }
      return Response(.ok, headers: headers, body: .bytes(Self.sent))
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      ["fetch", "1", "-o", "out.mp4", "--coordinator", "http://127.0.0.1:\(server.port)"],
      in: folder.path)
    await server.shutdown(grace: .zero)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count { $0.hasPrefix(".") } == left)
    return try Data(contentsOf: URL(filePath: folder.path("out.mp4")))
  }

  /// An answer that passes a file with the given bytes.
  private func passing(
    _ bytes: Data, age: TimeInterval = 0, note: String = Digest.of(Self.sent).description
  ) throws -> Answer {
    let path = folder.path("stored-\(UUID())")
    try bytes.write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
    let file = try #require(try OpenFile(path))
    return Answer { FilePassage.pass(file.descriptor, to: $0, note: note) }
  }

  /// Bytes that show that they were copied and not compared, because they do not have the digest.
  private static let marked = Data(repeating: 2, count: sent.count)

  @Test func `a recent file that is passed is copied, and not read again`() async throws {
    #expect(try await fetch(passing(Self.marked)) == Self.marked)
    let sample = open(folder.path("sample"), O_CREAT | O_WRONLY, 0o644)
    defer { close(sample) }
    var (facts, expected) = (stat(), stat())
    #expect(stat(folder.path("out.mp4"), &facts) == 0 && fstat(sample, &expected) == 0)
    #expect(facts.st_mode == expected.st_mode && facts.st_nlink == 1)
  }

  @Test(arguments: [7200, -7200] as [TimeInterval])
  func `a file from another hour that is passed is compared with its digest`(
    age: TimeInterval
  ) async throws {
    let (damaged, whole) = (try passing(Self.marked, age: age), try passing(Self.sent, age: age))
    #expect(try await fetch(damaged, whole) == Self.sent)
  }

  @Test func `a copy replaces a partial file, and what an interrupted copy has left`() async throws
  {
    let part = folder.path(".out.mp4.\(Digest.of(Self.sent)).part")
    for path in [part, part + ".copy"] {
      try Data(repeating: 3, count: 1000).write(to: URL(filePath: path))
    }
    #expect(try await fetch(passing(Self.marked)) == Self.marked)
  }

  @Test func `the file is received while another command copies to the same path`() async throws {
    let copy = folder.path(".out.mp4.\(Digest.of(Self.sent)).part.copy")
    let other = open(copy, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
    defer { close(other) }
    #expect(flock(other, LOCK_EX) == 0)
    #expect(try await fetch(passing(Self.marked), leaving: 1) == Self.sent)
    #expect(access(copy, F_OK) == 0)
  }

  @Test(arguments: ["longer", "shorter", "no file", "a pipe", "another tag", "another note"])
  func `the file is received if another one or none is passed`(flaw: String) async throws {
    let pipe = try SubprocessPipe()
    var answer: Answer
    switch flaw {
    case "longer": answer = try passing(Self.marked + Data([2]))
    case "shorter": answer = try passing(Self.marked.dropLast())
    case "no file": answer = Answer { _ in true }
    case "a pipe":
      answer = Answer {
        FilePassage.pass(
          pipe.reading.fileDescriptor, to: $0, note: Digest.of(Self.sent).description)
      }
    case "another note": answer = try passing(Self.marked, note: Digest.of(Self.marked).description)
    default:
      answer = try passing(Self.marked)
      answer.tag = Digest.of(Data("another".utf8))
    }
    #expect(try await fetch(answer, Answer()) == Self.sent)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a coordinator passes its file to a command on its host`(
    security: FarmSecurity
  ) async throws {
    let farm = try LosableFarm(security)
    let worker = try farm.startWorker()
    let id = try farm.submit()
    #expect(try farm.sheaf(["watch", id]).status == 0)
    let outcome = try farm.sheaf(["fetch", id, "-o", "out.mp4"])
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let job = try #require(try farm.jobs().first)
    #expect(try Digest.of(file: farm.folder.path("out.mp4")) == job.output?.sha256)
    let log = farm.folder.path("access.log")
    try await eventually("the request for the file is logged") {
      try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    } satisfies: { lines in
      lines.contains { $0.contains(" route=/api/v1/jobs/{id}/output status=204 ") }
    }
    try worker.writing.close()
  }
}
