import Crypto
import FarmAPI
import Foundation
import Preparation
import ProjectFormat
import Support
import Testing
import Timeline

/// Media processes that crash, hang or are killed from outside.
@Suite(.mayBlock) struct DyingMediaChildTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Media processes that run a shell script instead of the program.
  private func script(_ body: String) throws -> MediaChildren {
    MediaChildren(limit: 1, executable: try scratch.script(body))
  }

  /// Asks for the index of a file that the script never reads.
  private func index(by children: MediaChildren) async throws {
    let files = [ProbeRequest(path: "x", name: "holiday.mp4")]
    _ = try #require(try await children.indexes(of: files).first).get()
  }

  @Test(arguments: ["KILL", "TERM", "INT", "HUP"])
  func `a child that is killed from outside has its own error code`(signal: String) async throws {
    let children = try script("receive; kill -\(signal) $$; exec sleep 1000")
    let error = try await #require(throws: JobError.self) {
      try await index(by: children)
    }
    #expect(error.failure.code == "media-process-killed")
  }

  @Test(arguments: ["KILL", "TERM", "INT", "HUP", "QUIT"])
  func `a reading or planning process that is killed from outside has the same error code`(
    signal: String
  ) async throws {
    let children = try script("receive; kill -\(signal) $$; exec sleep 1000")
    let limits = PlanningLimits()
    let reading = try await #require(throws: JobError.self) {
      try await children.read(
        ReadingRequest(
          submission: "x", digest: .of([]), directory: scratch.path, depth: 32, byteLimit: 1 << 20,
          limits: limits),
        for: nil)
    }
    #expect(reading.failure.code == "media-process-killed")
    let planning = try await #require(throws: JobError.self) {
      try await children.plan(
        PlanningRequest(
          project: "x", digest: .of([]), sources: [], unreadable: [:], absent: [],
          directory: scratch.path,
          frozen: scratch.path, limits: limits), for: nil)
    }
    #expect(planning.failure.code == "media-process-killed")
  }

  @Test(arguments: [
    ("kill -SEGV $$", "was killed by signal 11", "media-process-died"),
    ("kill -XCPU $$", "the limit on processor time", "limit-reached"),
    // It ignores the limit's signal, and the kernel kills it a second later.
    (
      "trap '' XCPU; ulimit -S -t 1; ulimit -H -t 2; while :; do :; done",
      "the limit on processor time", "limit-reached"
    ),
    ("echo out of luck >&2; exit 3", "ended with code 3 without an answer", "media-process-died"),
  ])
  func `the error for a child that crashes names the asset and says how it ended`(
    body: String, how: String, code: String
  ) async throws {
    let children = try script(body)
    let error = try await #require(throws: JobError.self) {
      try await index(by: children)
    }
    #expect(error.failure.code.rawValue == code)
    #expect(error.failure.message.hasPrefix("holiday.mp4: "))
    #expect(error.failure.message.contains(how))
  }

  // 127 is the exit code of a program whose libraries are missing.
  @Test(arguments: [
    ("echo sheaf-media has version 1 >&2; exit 2", "restart this one (sheaf-media has version 1)"),
    ("exit 127", "install the libraries that it needs"),
  ])
  func `an unusable media program is reported instead of the file`(
    body: String, ending: String
  ) async throws {
    let children = try script(body)
    let error = try await #require(throws: JobError.self) { try await index(by: children) }
    #expect(error.failure.code == .mediaProgramUnusable)
    #expect(error.failure.message.hasPrefix("sheaf-media cannot be used: it ended with code "))
    #expect(error.failure.message.hasSuffix(ending))
  }

  @Test func `a media process that has answered is not taken for an unusable program`()
    async throws
  {
    let children = try script("receive; answer '{\"done\":{}}'; receive; exit 127")
    let assembly = try await children.assemble(
      AssemblyBeginning(
        plan: PlanSource(path: "x", part: PlanPart(offset: 0, length: 1, digest: .of([]))),
        sound: nil, chunks: "x", assets: [], output: scratch.path("out.mp4"), isDurable: false))
    let error = try await #require(throws: JobError.self) { try await assembly.finish() }
    #expect(error.failure.code == .mediaProcessDied)
  }

  @Test func `the error for layers that take too long to draw names the layer`() async throws {
    let children = try script("receive; echo at animation.layers[2] >&2; kill -XCPU $$")
    let error = try await #require(throws: JobError.self) {
      try await children.typeset(
        TypesetRequest(rasters: [], files: [:], root: "animation", directory: scratch.path))
    }
    #expect(error.failure.code == .limitReached)
    #expect(
      error.failure.message
        == "the animation's layers: at animation.layers[2]: it takes too much processor time: "
        + "simplify them, or remove the image that causes this")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a child that hangs ends when its task is cancelled`() async throws {
    let children = try script("echo $$ > \(scratch.path("pid")); exec sleep 1000")
    let task = Task { try await index(by: children) }
    try await eventually("the child runs") {
      FileManager.default.fileExists(atPath: scratch.path("pid"))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a child ends with its task, no matter when the task is cancelled`() async throws {
    let children = try script("exec sleep 1000")
    for delay in 0..<40 {
      let task = Task { try await index(by: children) }
      try await pause(
        for: .microseconds(delay * 50), because: "the start of a child has no events to wait for")
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
