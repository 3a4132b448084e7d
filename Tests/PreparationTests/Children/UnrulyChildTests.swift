import FarmAPI
import Foundation
import Planning
import Preparation
import Processes
import ProjectFormat
import Support
import Testing
import Timeline

/// Hijacked media processes, played by scripts. The coordinator limits how long it waits for them and how much it
/// reads.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct UnrulyChildTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The error of a child that runs a script and is asked for pictures. It is asked twice, to check that a failed child
  /// frees its place.
  private func failure(
    of body: String, _ patience: Patience, root: FindingPath = ""
  ) async throws -> JobFailure {
    let children = MediaChildren(
      limit: 1, executable: try scratch.script(body), patience: patience)
    let request = TypesetRequest(rasters: [], files: [:], root: root, directory: scratch.path)
    await #expect(throws: JobError.self) { try await children.typeset(request) }
    return try await #require(throws: JobError.self) { try await children.typeset(request) }.failure
  }

  @Test(arguments: [0, 1 << 20])
  func `a child that does not answer in time is killed`(requestSize: Int) async throws {
    let failure = try await failure(
      of: "exec sleep 1000", Patience(time: .milliseconds(100)),
      root: "\(String(repeating: "x", count: requestSize))")
    #expect(failure.code == "media-process-timed-out")
    #expect(failure.message.contains("did not answer within 0 s, and was killed"))
  }

  @Test func `the time limit for an answer grows with the size of the input`() async throws {
    let file = scratch.path("large")
    try Data().write(to: URL(fileURLWithPath: file))
    try #require(truncate(file, 1 << 40) == 0)
    for (path, body, how) in [
      ("none", "exec sleep 1000", "did not answer within 0 s"),
      (file, "sleep 0.2; echo ill >&2; exit 3", "ended with code 3"),
    ] {
      let children = MediaChildren(
        limit: 1, executable: try scratch.script(body), patience: Patience(time: .zero))
      let answers = try await children.indexes(of: [ProbeRequest(path: path, name: path)])
      let error = try #require(throws: JobError.self) { try answers[0].get() }
      #expect(error.failure.message.contains(how))
    }
  }

  @Test func `a child that closes its output but does not exit is killed`() async throws {
    let failure = try await failure(
      of: "exec <&- >&- sleep 1000", Patience(leave: .milliseconds(100)))
    #expect(failure.code == "media-process-died")
    #expect(failure.message.contains("closed its output and did not exit, and was killed"))
  }

  @Test func `a child that has closed its output ends with its task`() async throws {
    let children = MediaChildren(
      limit: 1,
      executable: try scratch.script(
        "exec <&- >&-; echo > \(scratch.path("closed")); exec sleep 1000"),
      patience: Patience(leave: .seconds(1000)))
    let request = TypesetRequest(rasters: [], files: [:], root: "", directory: scratch.path)
    let task = Task { try await children.typeset(request) }
    try await eventually("the child has closed its output") {
      FileManager.default.fileExists(atPath: scratch.path("closed"))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a child with an endless answer is killed`() async throws {
    let failure = try await failure(
      of: "exec tr '\\0' x >&0 < /dev/zero", Patience(answerSize: 1 << 20))
    #expect(failure.code == "media-process-died")
    #expect(failure.message.contains("sent an answer of more than 1048576 bytes, and was killed"))
  }

  @Test(arguments: ["{}", "rubbish", #"{"done": {}"#])
  func `a child that sends an invalid answer is killed`(answer: String) async throws {
    let failure = try await failure(
      of: "receive; answer '\(answer)'; exec sleep 1000", Patience())
    #expect(failure.code == "media-process-died")
    #expect(failure.message.contains("sent an invalid answer"))
  }

  @Test(arguments: [(25, true), (24, false)])
  func `an index with too many frames is an invalid answer`(limit: Int, isTaken: Bool)
    async throws
  {
    let answer = scratch.path("answer")
    let index = try FarmCoding.encode(MediaIndex.clip(seconds: RationalTime(1)))
    try "{\"index\":{\"_0\":\(String(decoding: index, as: UTF8.self))}}\n"
      .write(toFile: answer, atomically: false, encoding: .utf8)
    let children = MediaChildren(
      limit: 1,
      executable: try scratch.script("receive; answer \"$(cat \(answer))\""),
      patience: Patience(frameCount: limit))
    let answers = try await children.indexes(of: [ProbeRequest(path: "x", name: "x")])
    switch answers[0] {
    case .success(let index):
      #expect(isTaken)
      #expect(index.video[0].frames.times.count == 25)
    case .failure(let error):
      #expect(!isTaken)
      #expect(error.failure.message.contains("sent an invalid answer"))
    }
  }

  @Test func `only the end of a child's standard error is kept`() async throws {
    let failure = try await failure(
      of: """
        head -c 4000000 /dev/zero | tr '\\0' x >&2
        echo >&2; echo kept $(stat -L -c %s /proc/self/fd/2) >&2
        exit 3
        """, Patience())
    #expect(failure.message.hasSuffix("(kept 0)"))
  }
}
