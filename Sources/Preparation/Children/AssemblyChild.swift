import Crypto
import FarmAPI
import Planning
import Processes

/// Assembles a job's file in a child process that lives as long as this object.
struct AssemblyChild: FileAssembly {
  let child: ChildDialogue

  /// Begins the file.
  func begin(_ beginning: AssemblyBeginning) async throws {
    let request = try await LongCoding.run(byteCount: beginning.assets.count << 8) {
      try FarmCoding.encode(AssemblyRequest.begin(beginning))
    }
    _ = try await child.ask(request)
  }

  func add(_ parts: [SoundPart]) async throws {
    let request = try await LongCoding.run(byteCount: parts.count << 8) {
      try FarmCoding.encode(AssemblyRequest.add(parts))
    }
    _ = try await child.ask(request)
  }

  func append(
    chunk path: String, sha256: Digest, frameCount: Int, referringTo byteCount: Int64
  ) async throws -> ChunkOutcome {
    let request = AssemblyRequest.append(chunk: path, sha256: sha256, frameCount: frameCount)
    // Large chunks are read three times: to check their bytes, to check their packets, and to append them.
    guard case .chunk(let outcome) = try await ask(request, reading: [path], and: 3 * byteCount)
    else {
      throw JobError(
        .mediaProcessFailed, "the media process returned no result for a chunk: retry the job")
    }
    return outcome
  }

  func finish() async throws -> WrittenContent {
    guard case .assembled(let content) = try await ask(.finish) else {
      throw JobError(
        .mediaProcessFailed, "the job's file: the media process returned no result")
    }
    return content
  }

  func abandon() async { await child.end() }

  private func ask(
    _ request: AssemblyRequest, reading files: [String] = [], and byteCount: Int64 = 0
  ) async throws -> ChildAnswer {
    try await child.ask(FarmCoding.encode(request), reading: files, and: byteCount)
  }
}
