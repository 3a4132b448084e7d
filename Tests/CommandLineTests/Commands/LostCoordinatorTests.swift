import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// The commands that talk to a coordinator which goes away, comes back, or is behind a bad proxy.
@Suite(.timeLimit(.minutes(5))) struct LostCoordinatorTests {
  private let folder: TemporaryDirectory
  private let coordinator: Coordinator

  /// A coordinator on the folder's data directory, which may be killed and started again.
  private final class Coordinator: Sendable {
    private let data: String
    private let state: Mutex<(process: Process, url: String)>

    init(data: String) throws {
      self.data = data
      state = Mutex(try Self.start(data))
    }

    deinit { kill() }

    var url: String { state.withLock { $0.url } }

    var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    func kill() {
      state.withLock {
        Foundation.kill($0.process.processIdentifier, SIGKILL)
        $0.process.waitUntilExit()
      }
    }

    func startAgain() throws {
      let new = try Self.start(data)
      state.withLock { $0 = new }
    }

    private static func start(_ data: String) throws -> (Process, String) {
      let process = Program.coordinator.process(["serve", "--data", data, "--port", "0"])
      process.standardError = FileHandle.nullDevice
      return (process, try process.startListening())
    }
  }

  init() throws {
    folder = try TemporaryDirectory()
    coordinator = try Coordinator(data: folder.path("data"))
    try SolidClip(colour: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#
    try Data(project.utf8).write(to: URL(fileURLWithPath: folder.path("cut.json")))
  }

  /// A proxy that treats the first of certain requests badly.
  private func proxy(
    _ faults: [FaultyProxy.Fault], of isMeant: @escaping @Sendable (ScriptedRequest) -> Bool
  ) throws -> FaultyProxy {
    let left = Mutex(faults[...])
    return try FaultyProxy(to: coordinator.port) { request in
      isMeant(request) ? left.withLock { $0.popFirst() } : nil
    }
  }

  private func sheaf(_ arguments: [String], at url: String) throws -> Program.Outcome {
    try Program.sheaf.run(arguments + ["--coordinator", url], in: folder.path)
  }

  private func jobs() throws -> [JobStatus] {
    let outcome = try sheaf(["jobs", "--json"], at: coordinator.url)
    return try FarmCoding.decode([JobStatus].self, from: Data(outcome.standardOutput.utf8))
  }

  /// Runs a worker that ends with the returned pipe.
  private func startWorker() throws -> Pipe {
    let input = Pipe()
    let worker = Program.worker.process([
      "--coordinator", coordinator.url, "--slots", "1", "--cache", folder.path,
      "--exit-with-parent",
    ])
    worker.standardInput = input
    worker.standardError = FileHandle.nullDevice
    try worker.run()
    return input
  }

  private static let isSubmission: @Sendable (ScriptedRequest) -> Bool = {
    $0.method == "POST" && $0.path.hasSuffix("/jobs")
  }

  @Test(arguments: [
    FaultyProxy.Fault.loseAnswer, .swallow, .answer(502), .answer(504), .answer(200),
    .cutAnswer(after: 250), .changeBody(#"\"in\": 1"#, #"\"in\": 0"#),
    .problem(507, "/problems/unavailable"),
  ])
  func `a submission whose answer is lost is one job, and the right one`(
    _ fault: FaultyProxy.Fault
  ) throws {
    let proxy = try proxy([fault, fault], of: Self.isSubmission)
    let outcome = try sheaf(["submit", "cut.json"], at: proxy.origin)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let posts = proxy.requests.filter(Self.isSubmission)
    #expect(posts.count == 3)
    #expect(Set(posts.map { $0.headers["idempotency-key"] }).count == 1)
    let jobs = try jobs()
    #expect(
      jobs.map(\.id) == [outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
    #expect(jobs.allSatisfy { $0.failure == nil })
  }

  @Test func `an asset that is damaged before its project arrives is uploaded again`() throws {
    let isFirst = Atomic(true)
    let assets = folder.path("data/assets")
    let proxy = try FaultyProxy(to: coordinator.port) { request in
      guard Self.isSubmission(request), isFirst.exchange(false, ordering: .relaxed) else {
        return nil
      }
      for file in FileManager.default.enumerator(atPath: assets)?.compactMap({ $0 as? String })
        ?? []
      { truncate("\(assets)/\(file)", 100) }
      return nil
    }
    let outcome = try sheaf(["submit", "cut.json"], at: proxy.origin)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(proxy.requests.filter(Self.isSubmission).count == 2)
    #expect(proxy.requests.filter { $0.method == "PUT" }.count == 2)
    #expect(try jobs().count == 1)
  }

  @Test func `an asset that the coordinator keeps losing ends the submission`() throws {
    let proxy = try FaultyProxy(to: coordinator.port) { request in
      Self.isSubmission(request) ? .problem(422, "/problems/missing-asset") : nil
    }
    let outcome = try sheaf(["submit", "cut.json"], at: proxy.origin)
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("told to fail"))
    #expect(proxy.requests.filter(Self.isSubmission).count == 3)
  }

  @Test func `an upload goes on where it broke off`() throws {
    let full = FaultyProxy.Fault.problem(507, "/problems/unavailable")
    let proxy = try proxy([.swallow, .answer(502), full, .loseAnswer]) { $0.method == "PUT" }
    let outcome = try sheaf(["submit", "cut.json"], at: proxy.origin)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(try jobs().count == 1)
  }

  @Test func `a fetch goes on where it broke off, and is checked`() throws {
    let worker = try startWorker()
    let id = try sheaf(["submit", "cut.json"], at: coordinator.url).standardOutput
      .trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try sheaf(["watch", id], at: coordinator.url).status == 0)
    #expect(try sheaf(["fetch", id, "-o", "whole.mp4"], at: coordinator.url).status == 0)
    let proxy = try proxy(
      [.cutAnswer(after: 1500), .answer(503), .cutAnswer(after: 1500), .answer(200), .swallow]
    ) { $0.path.hasSuffix("/output") }
    let outcome = try sheaf(["fetch", id, "-o", "out.mp4"], at: proxy.origin)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let files = try ["whole.mp4", "out.mp4"].map {
      try Data(contentsOf: URL(fileURLWithPath: folder.path($0)))
    }
    #expect(files[0] == files[1])
    let fetches = proxy.requests.filter { $0.path.hasSuffix("/output") }
    #expect(fetches.contains { $0.headers["range"] != nil && $0.headers["if-range"] != nil })
    try worker.fileHandleForWriting.close()
  }

  @Test func `a watch goes on after the coordinator was killed and started again`() async throws {
    let proxy = try FaultyProxy(to: coordinator.port)
    let id = try sheaf(["submit", "cut.json"], at: coordinator.url).standardOutput
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let (folder, url) = (folder, proxy.origin)
    let watch = Task.detached {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            with: Result {
              try Program.sheaf.run(["watch", id, "--coordinator", url], in: folder.path)
            })
        }
      }
    }
    while !proxy.requests.contains(where: { $0.path.hasSuffix("/events") }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    coordinator.kill()
    let count = proxy.requests.count
    while proxy.requests.count < count + 2 { try await Task.sleep(for: .milliseconds(10)) }
    try coordinator.startAgain()
    proxy.redirect(to: coordinator.port)
    let worker = try startWorker()
    let outcome = try await watch.value
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "\(id) completed\n")
    #expect(outcome.standardError.contains("waiting up to 600 s for the coordinator"))
    try worker.fileHandleForWriting.close()
  }

  @Test func `a cancellation whose answer is lost has happened`() throws {
    let id = try sheaf(["submit", "cut.json"], at: coordinator.url).standardOutput
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let proxy = try proxy([.loseAnswer]) { $0.path.hasSuffix("/cancel") }
    let outcome = try sheaf(["cancel", id], at: proxy.origin)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "\(id) cancelled\n")
  }

  @Test(arguments: [
    ["watch", "5f0c"], ["jobs"], ["workers"], ["fetch", "5f0c", "-o", "it's.mp4"],
  ])
  func `a command that gives up says how to go on`(_ arguments: [String]) throws {
    let proxy = try FaultyProxy(to: coordinator.port) { _ in .answer(502) }
    let outcome = try sheaf(arguments + ["--patience", "1"], at: proxy.origin)
    #expect(outcome.status == 4)
    #expect(
      outcome.standardError.contains(
        "unavailable for 1 s: \(proxy.origin): the server answered 502 Bad Gateway\n"),
      "\(outcome.standardError)")
    let words = arguments.map { $0 == "it's.mp4" ? #"'it'\''s.mp4'"# : $0 }
    #expect(
      outcome.standardError.contains(
        "to continue: sheaf \(words.joined(separator: " ")) --patience 1 --coordinator \(proxy.origin)"
      ), "\(outcome.standardError)")
    #expect(proxy.requests.count > 1)
  }

  @Test func `a submission that gives up goes on as the same job`() throws {
    let proxy = try FaultyProxy(to: coordinator.port) { request in
      Self.isSubmission(request) ? .loseAnswer : nil
    }
    let outcome = try sheaf(["submit", "cut.json", "--patience", "1"], at: proxy.origin)
    #expect(outcome.status == 4)
    let line = try #require(
      outcome.standardError.split(separator: "\n").first { $0.contains("to continue: sheaf ") })
    let key = try #require(line.split(separator: " ").last.map(String.init))
    let again = try sheaf(["submit", "cut.json", "--idempotency-key", key], at: coordinator.url)
    #expect(again.status == 0, "\(again.standardError)")
    #expect(
      try jobs().map(\.id)
        == [again.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
  }

  @Test func `a command that was started with SIGTERM blocked still ends at one`() throws {
    let id = try sheaf(["submit", "cut.json"], at: coordinator.url).standardOutput
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let process = Program.sheaf.process(["watch", id, "--coordinator", coordinator.url])
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    kill(process.processIdentifier, SIGTERM)
    let isOver = ended.wait(timeout: .now() + 60) == .success
    #expect(isOver, "the command is still running")
    kill(process.processIdentifier, SIGKILL)
    if isOver { #expect(process.terminationReason == .uncaughtSignal) }
  }

  @Test func `a coordinator that was never reached is not waited for`() throws {
    coordinator.kill()
    let outcome = try sheaf(["jobs"], at: coordinator.url)
    #expect(outcome.status == 4)
    #expect(outcome.standardError.contains("cannot reach the coordinator"))
  }

  @Test func `six submissions of the same media at once all succeed`() async throws {
    let (folder, url) = (folder, coordinator.url)
    let outcomes = try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(
                with: Result {
                  try Program.sheaf.run(
                    ["submit", "cut.json", "--coordinator", url], in: folder.path)
                })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes.map(\.standardError))")
    #expect(try jobs().count == 6)
  }
}
