import FarmAPI
import Foundation
import Processes
import Support
import Synchronization
import Testing

/// The commands that talk to a coordinator, if it stops, restarts, or is behind a faulty proxy.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LostCoordinatorTests {
  private static let isSubmission: @Sendable (ScriptedRequest) -> Bool = {
    $0.method == "POST" && $0.path.hasSuffix("/jobs")
  }

  private static let faults: [FaultyProxy.Fault] = [
    .loseAnswer, .swallow, .answer(502), .answer(504), .answer(200), .cutAnswer(after: 250),
    .changeBody(#"\"in\": 1"#, #"\"in\": 0"#), .problem(507, "/problems/unavailable"),
  ]
  /// Without TLS, one fault is enough.
  private static let securedFaults =
    faults.map { ($0, FarmSecurity.secured) } + [(FaultyProxy.Fault.loseAnswer, FarmSecurity.open)]

  @Test(arguments: securedFaults)
  func `a submission whose response is lost creates exactly one correct job`(
    _ fault: FaultyProxy.Fault, security: FarmSecurity
  ) throws {
    let farm = try LosableFarm(security)
    let entrance = try farm.entrance([fault, fault], of: Self.isSubmission)
    let outcome = try farm.sheaf(["submit", "cut.json"], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let posts = entrance.proxy.requests.filter(Self.isSubmission)
    #expect(posts.count == 3)
    #expect(Set(posts.map { $0.headers["idempotency-key"] }).count == 1)
    let jobs = try farm.jobs()
    #expect(
      jobs.map(\.id) == [outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
    #expect(jobs.allSatisfy { $0.failure == nil })
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a submission that is killed before its response can continue as the same job`(
    security: FarmSecurity
  ) throws {
    let farm = try LosableFarm(security)
    let process = Mutex<pid_t>(0)
    let entrance = try farm.entrance { request in
      guard Self.isSubmission(request) else { return nil }
      try? blockUntil("the command runs") { process.withLock { $0 } != 0 }
      kill(process.withLock { $0 }, SIGKILL)
      return .loseAnswer
    }
    let command = farm.command(["submit", "cut.json"], at: entrance.url)
    let errors = farm.folder.path("errors")
    try Data().write(to: URL(filePath: errors))
    command.standardError = try .writing(errors)
    command.standardOutput = .null
    try command.run()
    process.withLock { $0 = command.id }
    #expect(command.wait() == .signaled(SIGKILL))
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    let line = try #require(
      said.split(separator: "\n").first { $0.contains("continue with: sheaf submit cut.json ") })
    let key = try #require(line.split(separator: " ").last.map(String.init))
    try blockUntil("the job is submitted") { try !farm.jobs().isEmpty }
    let again = try farm.sheaf(["submit", "cut.json", "--idempotency-key", key])
    #expect(again.status == 0, "\(again.standardError)")
    #expect(!again.standardError.contains("--idempotency-key"))
    #expect(
      try farm.jobs().map(\.id)
        == [again.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
  }

  @Test func `an asset that is damaged before its project arrives is uploaded again`() throws {
    let farm = try LosableFarm(.secured)
    let isFirst = Atomic(true)
    let assets = farm.folder.path("data/assets")
    let entrance = try farm.entrance { request in
      guard Self.isSubmission(request), isFirst.exchange(false, ordering: .relaxed) else {
        return nil
      }
      for file in FileManager.default.enumerator(atPath: assets)?.compactMap({ $0 as? String })
        ?? []
      { truncate("\(assets)/\(file)", 100) }
      return nil
    }
    let outcome = try farm.sheaf(["submit", "cut.json"], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(entrance.proxy.requests.filter(Self.isSubmission).count == 2)
    #expect(entrance.proxy.requests.filter { $0.method == "PUT" }.count == 2)
    #expect(try farm.jobs().count == 1)
  }

  @Test func `an asset that the coordinator keeps losing ends the submission`() throws {
    let farm = try LosableFarm(.open)
    let entrance = try farm.entrance { request in
      Self.isSubmission(request) ? .problem(422, "/problems/missing-asset") : nil
    }
    let outcome = try farm.sheaf(["submit", "cut.json"], at: entrance.url)
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("told to fail"))
    #expect(entrance.proxy.requests.filter(Self.isSubmission).count == 3)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `an interrupted upload continues where it stopped`(security: FarmSecurity) throws {
    let farm = try LosableFarm(security)
    let full = FaultyProxy.Fault.problem(507, "/problems/unavailable")
    let entrance = try farm.entrance([.swallow, .answer(502), full, .loseAnswer]) {
      $0.method == "PUT"
    }
    let outcome = try farm.sheaf(["submit", "cut.json"], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(try farm.jobs().count == 1)
  }

  @Test func `an upload whose headers are damaged in transit is sent again`() throws {
    let farm = try LosableFarm(.open)
    let faults = ["malformed-request", "damaged-request"].map {
      FaultyProxy.Fault.problem(400, "/problems/\($0)")
    }
    let entrance = try farm.entrance(faults) { $0.method == "PUT" }
    let outcome = try farm.sheaf(["submit", "cut.json"], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(entrance.proxy.requests.filter { $0.method == "PUT" }.count == 3)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `an interrupted fetch continues, and its file is verified`(security: FarmSecurity) throws {
    let farm = try LosableFarm(security)
    let worker = try farm.startWorker()
    let id = try farm.submit()
    #expect(try farm.sheaf(["watch", id]).status == 0)
    #expect(try farm.sheaf(["fetch", id, "-o", "whole.mp4"]).status == 0)
    let entrance = try farm.entrance(
      [.cutAnswer(after: 1500), .answer(503), .cutAnswer(after: 1500), .answer(200), .swallow]
    ) { $0.path.hasSuffix("/output") }
    let outcome = try farm.sheaf(["fetch", id, "-o", "out.mp4"], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let files = try ["whole.mp4", "out.mp4"].map {
      try Data(contentsOf: URL(fileURLWithPath: farm.folder.path($0)))
    }
    #expect(files[0] == files[1])
    let fetches = entrance.proxy.requests.filter { $0.path.hasSuffix("/output") }
    #expect(fetches.contains { $0.headers["range"] != nil && $0.headers["if-range"] != nil })
    try worker.writing.close()
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a watch continues after the coordinator is killed and restarted`(
    security: FarmSecurity
  ) async throws {
    let farm = try LosableFarm(security)
    let entrance = try farm.entrance()
    let proxy = entrance.proxy
    let id = try farm.submit()
    let watch = Task { try await farm.sheafElsewhere(["watch", id], at: entrance.url) }
    try await eventually("the watch asks for events") {
      proxy.requests.contains { $0.path.hasSuffix("/events") }
    }
    farm.kill()
    let count = proxy.requests.count
    try await eventually("the watch retries") { proxy.requests.count >= count + 2 }
    try farm.startAgain(behind: proxy)
    let worker = try farm.startWorker()
    let outcome = try await watch.value
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "\(id) completed\n")
    #expect(outcome.standardError.contains("waiting up to 600 s for the coordinator"))
    try worker.writing.close()
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a cancellation whose response is lost takes effect`(security: FarmSecurity) throws {
    let farm = try LosableFarm(security)
    let id = try farm.submit()
    let entrance = try farm.entrance([.loseAnswer]) { $0.path.hasSuffix("/cancel") }
    let outcome = try farm.sheaf(["cancel", id], at: entrance.url)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "\(id) cancelled\n")
  }

  @Test(arguments: [
    ["watch", "5f0c"], ["jobs"], ["workers"], ["fetch", "5f0c", "-o", "it's.mp4"],
  ])
  func `a command that gives up says how to continue`(_ arguments: [String]) throws {
    let farm = try LosableFarm(.open)
    let proxy = try farm.entrance { _ in .answer(502) }.proxy
    let outcome = try farm.sheaf(arguments + ["--patience", "1"], at: proxy.origin)
    #expect(outcome.status == 4)
    #expect(
      outcome.standardError.contains(
        "unavailable for 1 s (--patience): \(proxy.origin): the server responded with 502 Bad Gateway\n"
      ),
      "\(outcome.standardError)")
    let words = arguments.map { $0 == "it's.mp4" ? #"'it'\''s.mp4'"# : $0 }
    #expect(
      outcome.standardError.contains(
        "to continue: sheaf \(words.joined(separator: " ")) --patience 1 --coordinator \(proxy.origin)"
      ), "\(outcome.standardError)")
    #expect(proxy.requests.count > 1)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a submission that gives up can continue as the same job`(security: FarmSecurity) throws {
    let farm = try LosableFarm(security)
    let entrance = try farm.entrance { Self.isSubmission($0) ? .loseAnswer : nil }
    let outcome = try farm.sheaf(["submit", "cut.json", "--patience", "1"], at: entrance.url)
    #expect(outcome.status == 4)
    let line = try #require(
      outcome.standardError.split(separator: "\n").first { $0.contains("to continue: sheaf ") })
    let key = try #require(line.split(separator: " ").last.map(String.init))
    let again = try farm.sheaf(["submit", "cut.json", "--idempotency-key", key])
    #expect(again.status == 0, "\(again.standardError)")
    #expect(
      try farm.jobs().map(\.id)
        == [again.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
  }

  @Test func `a command that starts with SIGTERM blocked still ends on SIGTERM`() throws {
    let farm = try LosableFarm(.open)
    let id = try farm.submit()
    let command = farm.command(["watch", id], at: farm.url)
    // A program that blocks all signals, and then becomes the command.
    let script = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
      print("blocked", flush=True)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let process = Subprocess(
      Tool.python, ["-c", script, command.path] + command.arguments,
      in: command.directory)
    let output = try SubprocessPipe()
    process.standardOutput = .pipe(output)
    process.standardError = .null
    try process.run()
    #expect(try output.reading.read(upToCount: 8) == Data("blocked\n".utf8))
    defer { process.send(SIGKILL) }
    process.terminate()
    try blockUntil("the command ends") { !process.isRunning }
    #expect(process.wait() == .signaled(SIGTERM))
  }

  @Test func `a command does not wait for a coordinator that it has never reached`() throws {
    let farm = try LosableFarm(.open)
    farm.kill()
    let outcome = try farm.sheaf(["jobs"])
    #expect(outcome.status == 4)
    #expect(outcome.standardError.contains("cannot reach the coordinator"))
    #expect(
      outcome.standardError.contains(
        "start `sheaf-coordinator serve`, wait for it with --patience 600, or name another "),
      "\(outcome.standardError)")
  }

  @Test func `a command with patience gives up on a coordinator that it never reaches`() throws {
    let farm = try LosableFarm(.open)
    farm.kill()
    let outcome = try farm.sheaf(["jobs", "--patience", "1"])
    #expect(outcome.status == 4)
    for line in [
      "waiting up to 1 s for the coordinator: ", "unavailable for 1 s (--patience): \(farm.url): ",
      "to continue: sheaf jobs --patience 1 --coordinator \(farm.url)\n",
    ] {
      #expect(outcome.standardError.contains(line), "\(outcome.standardError)")
    }
  }

  @Test func `a command with patience that is started before the coordinator succeeds`() throws {
    let farm = try LosableFarm(.open)
    let id = try farm.submit()
    farm.kill()
    let files = ["out", "err"].map { farm.folder.path($0) }
    for file in files { try Data().write(to: URL(filePath: file)) }
    let command = farm.command(["jobs", "--patience", "600"], at: farm.url)
    command.standardOutput = try .writing(files[0])
    command.standardError = try .writing(files[1])
    try command.run()
    try blockUntil("the command waits for the coordinator") {
      try !command.isRunning
        || String(contentsOfFile: files[1], encoding: .utf8).contains("waiting up to 600 s")
    }
    #expect(command.isRunning)
    try farm.startAgain()
    #expect(command.wait() == .exited(0))
    #expect(try String(contentsOfFile: files[0], encoding: .utf8).contains(id))
  }

  @Test(arguments: FarmSecurity.allCases)
  func `six simultaneous submissions of the same media all succeed`(
    security: FarmSecurity
  ) async throws {
    let farm = try LosableFarm(security)
    let size = 16 << 20
    do {
      // Adds a box of that size, which readers of the clip skip.
      let clip = try FileHandle(forWritingTo: URL(filePath: farm.folder.path("a.mp4")))
      _ = try clip.seekToEnd()
      try clip.write(contentsOf: Data([1, 0, 0, 0]) + Data("free".utf8) + Data(count: size - 8))
      try clip.close()
    }
    let port = try #require(farm.url.split(separator: ":").last.flatMap { UInt16($0) })
    let relay = try CountingRelay(to: port)
    let url = farm.url.replacing(":\(port)", with: ":\(relay.port)")
    let outcomes = try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
      for _ in 0..<6 {
        group.addTask { try await farm.sheafElsewhere(["submit", "cut.json"], at: url) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes.map(\.standardError))")
    #expect(try farm.jobs().count == 6)
    #expect(relay.byteCount > size)
    // Six uploads would have six times the size. On a busy machine, a client that should wait starts to send, because it
    // receives no response within a second.
    #expect(relay.byteCount < 3 * size, "several clients uploaded the clip instead of waiting")
  }
}
