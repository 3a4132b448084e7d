import Crypto
import FarmAPI
import Foundation
import Preparation
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Media processes that die, hang or are ended from outside.
struct DyingMediaChildTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// An executable that behaves as a script says.
  private func script(_ body: String) throws -> MediaChildren {
    MediaChildren(of: "sheaf-coordinator", limit: 1, executable: try scratch.script(body))
  }

  /// Has children index a file that they never read.
  private func index(by children: MediaChildren) async throws {
    let files = [ProbeRequest(path: "x", name: "holiday.mp4")]
    _ = try #require(try await children.indexes(of: files).first).get()
  }

  @Test(arguments: ["KILL", "TERM", "INT", "HUP"])
  func `a child that is ended from outside has an error of its own`(signal: String) async throws {
    let children = try script("read request; kill -\(signal) $$; exec sleep 1000")
    let error = try await #require(throws: JobError.self) {
      try await index(by: children)
    }
    #expect(error.failure.code == "media-process-killed")
  }

  @Test(arguments: ["KILL", "TERM", "INT", "HUP", "QUIT"])
  func `a process that reads or plans a project and is ended from outside has the same error`(
    signal: String
  ) async throws {
    let children = try script("read request; kill -\(signal) $$; exec sleep 1000")
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
    // Ignores the signal of the limit, and is killed by the kernel a second later.
    (
      "trap '' XCPU; ulimit -S -t 1; ulimit -H -t 2; while :; do :; done",
      "the limit on processor time", "limit-reached"
    ),
    ("echo out of luck >&2; exit 3", "ended with code 3 without an answer", "media-process-died"),
  ])
  func `a child that dies is an error that names the asset and says how`(
    body: String, how: String, code: String
  ) async throws {
    let children = try script(body)
    let error = try await #require(throws: JobError.self) {
      try await index(by: children)
    }
    #expect(error.failure.code == code)
    #expect(error.failure.message.hasPrefix("holiday.mp4: "))
    #expect(error.failure.message.contains(how))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a child that hangs ends with the task that waits for it`() async throws {
    let children = try script("echo $$ > \(scratch.path("pid")); exec sleep 1000")
    let task = Task { try await index(by: children) }
    while !FileManager.default.fileExists(atPath: scratch.path("pid")) { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a child ends with its task, whenever that is cancelled`() async throws {
    let children = try script("exec sleep 1000")
    for delay in 0..<40 {
      let task = Task { try await index(by: children) }
      try await Task.sleep(for: .microseconds(delay * 50))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
