import Crypto
import FarmAPI
import Foundation
import Planning
import Processes
import Threads
import Timeline

/// Media by child processes of this executable, each in a sandbox.
package struct MediaChildren: MediaTools {
  /// At most so many probe and mix at a time.
  private let gate: Gate
  private let limit: Int
  private let executable: String
  private let program: String
  private let patience: Patience

  /// Files that one child probes at most: starting it takes longer than reading a small file.
  private static let filesPerChild = 16
  /// The error of a child that ended without an answer.
  package static let deathCode = "media-process-died"
  /// The error of a child that was ended from outside: by an operator, or by the kernel because memory ran out.
  package static let killedCode = "media-process-killed"
  /// The error of a child that took longer than it may.
  package static let timeoutCode = "media-process-timed-out"

  /// Children of this program, which answers to `media`.
  ///
  /// - Parameters:
  ///   - program: the name that children show in lists of processes.
  ///   - limit: how many may run at a time.
  ///   - executable: the file to run, another one in tests.
  package init(
    of program: String, limit: Int, executable: String = "/proc/self/exe",
    patience: Patience = Patience()
  ) {
    self.program = program
    self.patience = patience
    self.limit = max(1, limit)
    gate = Gate(self.limit)
    self.executable = executable
  }

  package func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>] {
    let share = min(Self.filesPerChild, (files.count + limit - 1) / limit)
    guard share > 0 else { return [] }
    return try await withThrowingTaskGroup(of: (Int, [Result<MediaIndex, JobError>]).self) {
      group in
      for first in stride(from: 0, to: files.count, by: share) {
        let end = min(first + share, files.count)
        group.addTask { (first, try await probe(files[first..<end])) }
      }
      var parts: [Int: [Result<MediaIndex, JobError>]] = [:]
      for try await (first, part) in group { parts[first] = part }
      return parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }
  }

  /// Asks one child after the other, a new one where the last has come to its end.
  private func probe(_ files: ArraySlice<ProbeRequest>) async throws
    -> [Result<MediaIndex, JobError>]
  {
    try await gate.enter()
    defer { gate.leave() }
    var results: [Result<MediaIndex, JobError>] = []
    var served: ChildProcess?
    for file in files {
      var outcome: Result<MediaIndex, JobError>?
      if let child = served {
        outcome = try await index(of: file, by: child)
        // A child may die late of the file before: this one is blamed for a child of its own alone.
        if case .failure(let error) = outcome, Self.isDeath(error) {
          outcome = nil
        }
      }
      if outcome == nil {
        let child = process("probe")
        var first = file
        first.others = files.flatMap(\.file.paths)
        outcome = try await index(of: first, by: child)
        served = child
      }
      guard let outcome else { continue }
      if case .failure = outcome { served = nil }
      results.append(outcome)
    }
    return results
  }

  private func process(_ service: String) -> ChildProcess {
    ChildProcess(executable, [program, "media", service], patience: patience)
  }

  private static func isDeath(_ error: JobError) -> Bool {
    [deathCode, killedCode].contains(error.failure.code)
  }

  private func index(of file: ProbeRequest, by child: ChildProcess) async throws
    -> Result<MediaIndex, JobError>
  {
    do {
      let answer = try await ChildDialogue(child, subject: file.name)
        .ask(FarmCoding.encode(file), reading: [file.path])
      guard case .index(let index) = answer else {
        throw JobError(Self.deathCode, "\(file.name): the media process gave no index")
      }
      return .success(index)
    } catch let error as JobError {
      return .failure(error)
    }
  }

  /// Decodes all of a file, to verify it.
  ///
  /// - Parameter index: what the file holds.
  package func verify(_ file: ProbeRequest, index: MediaIndex) async throws -> [StreamVerification]
  {
    try await gate.enter()
    defer { gate.leave() }
    var request = file
    request.verifies = true
    // Twice through all frames, at a few a second on a slow machine.
    let frames = index.video.reduce(0) { $0 + $1.frames.times.count }
    let answer = try await ChildDialogue(process("probe"), subject: file.name).ask(
      FarmCoding.encode(request), reading: [file.path],
      computing: .seconds(Double(60 + frames) + index.duration.seconds))
    guard case .verified(let streams) = answer else {
      throw JobError(Self.deathCode, "\(file.name): the media process gave no answer")
    }
    return streams
  }

  package func check(_ request: EncoderCheck) async throws -> [Finding] {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(
      process("check"), subject: "export.video",
      remedy: "leave out options of the encoder")
    guard case .findings(let findings) = try await child.ask(FarmCoding.encode(request)) else {
      throw JobError("media-process-failed", "export.video: the media process gave no answer")
    }
    return findings
  }

  package func typeset(_ request: TypesetRequest) async throws -> [LayerRaster] {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(
      process("typeset"), subject: "the animation's layers",
      remedy: "simplify them, or leave out the image that is to blame")
    let answer = try await child.ask(FarmCoding.encode(request))
    if case .findings(let findings) = answer {
      await child.end()
      throw ProjectError(findings: findings)
    }
    guard case .rasters(let rasters) = answer else {
      throw JobError(Self.deathCode, "the animation's layers: the media process gave no pictures")
    }
    // What is done with the files now is done with what it has written, and no more.
    await child.end()
    return rasters
  }

  package func mix(_ request: MixRequest) async throws -> MixedSound {
    try await gate.enter()
    defer { gate.leave() }
    let names = Set(request.mix.sources.map(\.name)).sorted().joined(separator: ", ")
    let child = ChildDialogue(
      process("mix"), subject: "the sound of \(names)")
    let answer = try await child.ask(
      FarmCoding.encode(request), reading: request.files.values.map(\.path),
      computing: request.mix.computing)
    guard case .mixed(let sound) = answer else {
      throw JobError("media-process-failed", "the media process gave no mix of \(names)")
    }
    return sound
  }

  package func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly {
    let assembly = AssemblyChild(
      child: ChildDialogue(
        process("assemble"), subject: "the job's file",
        remedy: "retry the job, which keeps its chunks"))
    try await assembly.ask(.begin(beginning))
    return assembly
  }
}

/// A job's file, assembled by a child process that lives as long as this does.
private struct AssemblyChild: FileAssembly {
  let child: ChildDialogue

  func append(chunk path: String, sha256: Digest, frameCount: Int) async throws -> Bool {
    try await ask(
      .append(chunk: path, sha256: sha256, frameCount: frameCount), reading: [path]) == .full
  }

  func finish() async throws {
    try await ask(.finish)
  }

  @discardableResult
  func ask(_ request: AssemblyRequest, reading files: [String] = []) async throws -> ChildAnswer {
    try await child.ask(FarmCoding.encode(request), reading: files)
  }
}

extension MixDescription {
  /// How long mixing it takes at the most where nothing else runs: as long as all that is heard, which is what sound
  /// takes that plays at another speed and keeps its pitch, and is measured for its loudness.
  fileprivate var computing: Duration {
    let samples = inputs.reduce(sampleCount) { $0 + $1.sampleCount }
    return .seconds(Double(samples) / Double(settings.sampleRate))
  }
}
