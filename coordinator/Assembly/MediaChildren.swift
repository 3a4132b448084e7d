import FarmAPI
import Foundation
import Planning
import Timeline

/// Media by child processes of this executable.
package struct MediaChildren: MediaTools {
  /// At most so many probe and mix at a time.
  private let gate: Gate

  private let executable: String

  /// Children of `executable`, which is this program but in tests.
  package init(limit: Int, executable: String = "/proc/self/exe") {
    gate = Gate(limit)
    self.executable = executable
  }

  package func index(of path: String, named name: String) async throws -> MediaIndex {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(executable, ["media", "probe", path, "--name", name], subject: name)
    guard case .index(let index) = try await child.ask(nil) else {
      throw JobError("media-process-failed", "\(name): the media process gave no index")
    }
    return index
  }

  package func mix(_ request: MixRequest) async throws {
    try await gate.enter()
    defer { gate.leave() }
    let names = Set(request.mix.sources.map(\.name)).sorted().joined(separator: ", ")
    let child = ChildDialogue(executable, ["media", "mix"], subject: "the sound of \(names)")
    _ = try await child.ask(FarmCoding.encode(request))
  }

  package func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly {
    let assembly = AssemblyChild(
      child: ChildDialogue(
        executable, ["media", "assemble"], subject: "the job's file",
        remedy: "retry the job, which keeps its chunks"))
    try await assembly.ask(.begin(beginning))
    return assembly
  }
}

/// A job's file, assembled by a child process that lives as long as this does.
private struct AssemblyChild: FileAssembly {
  let child: ChildDialogue

  func append(chunk path: String, frameCount: Int) async throws {
    try await ask(.append(chunk: path, frameCount: frameCount))
  }

  func finish() async throws {
    try await ask(.finish)
  }

  func ask(_ request: AssemblyRequest) async throws {
    _ = try await child.ask(FarmCoding.encode(request))
  }
}

/// Requests to a child process, and what its silence means.
private struct ChildDialogue: Sendable {
  let process: ChildProcess
  /// What the process works on, for messages.
  let subject: String
  /// What to do where the process dies of it.
  let remedy: String

  init(
    _ executable: String, _ arguments: [String], subject: String,
    remedy: String = "the file may be damaged: convert it or leave it out"
  ) {
    process = ChildProcess(executable, arguments)
    self.subject = subject
    self.remedy = remedy
  }

  /// Sends a request and waits for its answer. A child that dies, or is in the way of a cancelled task, is an error.
  func ask(_ request: Data?) async throws -> ChildAnswer {
    try Task.checkCancellation()
    let line = try await withTaskCancellationHandler {
      try await process.ask(request)
    } onCancel: {
      process.kill()
    }
    try Task.checkCancellation()
    guard let line else { throw await death() }
    switch try FarmCoding.decode(ChildAnswer.self, from: line) {
    case .failure(let failure): throw JobError(failure.code, failure.message)
    case let answer: return answer
    }
  }

  private func death() async -> JobError {
    let how =
      switch await process.wait() {
      case .signalled(SIGXCPU), .signalled(SIGKILL):
        "used more processor time than it may, or was killed"
      case .signalled(SIGXFSZ): "wrote more than it may"
      case .signalled(let signal):
        "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
      case .exited(let code): "ended with code \(code) and no answer"
      }
    let last = await process.lastErrors().split(separator: "\n").last.map { " (\($0))" } ?? ""
    return JobError(
      "media-process-died",
      "\(subject): its media process \(how): \(remedy)\(last)")
  }
}
