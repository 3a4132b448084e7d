import Crypto
import FarmAPI
import Processes

/// Assembles a job's file in a child process that lives as long as this object.
struct AssemblyChild: FileAssembly {
  let child: ChildDialogue

  func append(chunk path: String, sha256: Digest, frameCount: Int) async throws -> Bool {
    try await ask(
      .append(chunk: path, sha256: sha256, frameCount: frameCount), reading: [path]) == .full
  }

  func finish() async throws -> WrittenContent {
    guard case .assembled(let content) = try await ask(.finish) else {
      throw JobError(
        JobError.mediaProcessFailedCode, "the job's file: the media process returned no result")
    }
    return content
  }

  func abandon() async { await child.end() }

  @discardableResult
  func ask(_ request: AssemblyRequest, reading files: [String] = []) async throws -> ChildAnswer {
    try await child.ask(FarmCoding.encode(request), reading: files)
  }
}
