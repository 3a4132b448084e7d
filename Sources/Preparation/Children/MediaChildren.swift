import Crypto
import FarmAPI
import Foundation
import Planning
import Processes
import ProjectFormat
import Threads
import Timeline

/// Media tools that run in child processes, each in a sandbox.
package struct MediaChildren: MediaTools {
  /// Limits the number of children that probe, check encoders and typeset for the command line at a time.
  let gate: Gate
  /// The gate for mixing, with one more slot than there are processors. A mix may take hours.
  private let mixing: FairGate
  /// The gate for planning projects and probing their media, with one more slot than there are processors.
  package let planning: FairGate
  /// The gate for reading submissions, whose senders wait for the answer.
  private let reading: FairGate
  /// Each submitter's quota for reading, indexing, planning and freezing.
  private let quota: PlanningQuota?
  let limit: Int
  private let executable: String
  private let patience: Patience

  /// The name of the program that opens media.
  package static let program = "sheaf-media"

  /// The program's exit code if it was started with invalid arguments, or by a program of another version.
  package static let refusal: Int32 = 2

  /// The program that is installed next to this one. Its children are copies of a server.
  private static let installed = Result { () throws(ProcessError) in
    let path = try SiblingProgram.pin(SiblingProgram.path(of: program))
    ForkServer.prepare(path, [program, "children", SheafVersion.current])
    return path
  }

  /// Opens the program, so that later children are of the same version, even after an upgrade. Call it when this process
  /// starts.
  ///
  /// - Throws: `ProcessError` if it is not installed.
  package static func openProgram() throws(ProcessError) { _ = try installed.get() }

  /// Creates tools that start children.
  ///
  /// - Parameters:
  ///   - limit: the number of children that may run at a time.
  ///   - executable: the program to run; `nil` for the one that is installed. Tests use another one.
  ///   - quota: the planning quota of each submitter, if there is one.
  package init(
    limit: Int, executable: String? = nil, patience: Patience = Patience(),
    quota: PlanningQuota? = nil
  ) {
    self.patience = patience
    self.limit = max(1, limit)
    gate = Gate(self.limit)
    mixing = FairGate(self.limit + 1)
    planning = FairGate(self.limit + 1)
    reading = FairGate(self.limit + 1)
    self.quota = quota
    // If the program is not installed, starting a child fails with the reason.
    self.executable =
      executable ?? (try? Self.installed.get()) ?? SiblingProgram.path(of: Self.program)
  }

  /// Runs work in a submitter's turn, unless its quota is used up, and charges the time to the quota.
  func turn<Value>(
    at gate: FairGate, of submitter: String?, _ body: () async throws -> Value
  ) async throws -> Value {
    try await gate.run(for: submitter) {
      try quota?.check(submitter)
      let start = ContinuousClock.now
      defer { quota?.charge(.now - start, to: submitter) }
      return try await body()
    }
  }

  package func read(
    _ request: ReadingRequest, for submitter: String?
  ) async throws -> SubmissionFacts {
    try await turn(at: reading, of: submitter) {
      let answer = try await ask(
        "read", FarmCoding.encode(request), about: "the project", within: request.limits,
        reading: [request.submission])
      guard case .submission(let facts) = answer else {
        throw JobError(
          .mediaProcessDied, "the project: the media process returned no result: submit it again")
      }
      return facts
    }
  }

  /// Asks a process that works on a whole project. The process ends before its answer is used, so that it cannot change
  /// its files any more.
  private func ask(
    _ service: String, _ request: Data, about subject: String, within limits: PlanningLimits,
    reading files: [String]
  ) async throws -> ChildAnswer {
    let child = ChildDialogue(
      process(service, seconds: limits.seconds, answerSize: Self.factsSize), subject: subject,
      remedy: "split or simplify it", limits: limits, secondsOption: "--max-planning-seconds")
    let answer = try await child.ask(request, reading: files)
    await child.end()
    return answer
  }

  package func waitForPlanningTime(of submitter: String?) async throws {
    try await quota?.wait(for: submitter)
  }

  package func plan(
    _ request: PlanningRequest, for submitter: String?,
    starting begin: @Sendable () async throws -> Void
  ) async throws -> PlanFacts {
    try await turn(at: planning, of: submitter) {
      try await begin()
      let encoded = try await LongCoding.run(byteCount: request.sources.count << 8) {
        try FarmCoding.encode(request)
      }
      let answer = try await ask(
        "plan", encoded, about: "planning the project", within: request.limits,
        reading: [request.project] + request.indexFiles)
      guard case .drafted(let digest) = answer else {
        throw JobError(
          .mediaProcessDied, "planning the project: the media process returned no plan")
      }
      return try await freeze(request.freezing(digest))
    }
  }

  package func freeze(
    _ request: FreezingRequest, for submitter: String?
  ) async throws -> PlanFacts {
    try await turn(at: planning, of: submitter) { try await freeze(request) }
  }

  private func freeze(_ request: FreezingRequest) async throws -> PlanFacts {
    let answer = try await ask(
      "freeze", FarmCoding.encode(request), about: "planning the project: the segments",
      within: request.limits, reading: [request.draft])
    guard case .planned(let facts) = answer else {
      throw JobError(.mediaProcessDied, "planning the project: the media process returned no plan")
    }
    return facts
  }

  /// The maximum size in bytes of an answer without an index: the facts of a submission or a plan.
  static let factsSize = 16 << 20

  /// - Parameters:
  ///   - seconds: the processor time for an answer, if the time for an answer depends on it.
  ///   - answerSize: the maximum number of bytes of an answer, if it is lower than usual.
  ///   - niceness: how much lower the process's priority is than this one's.
  func process(
    _ service: String, seconds: Int? = nil, answerSize: Int? = nil,
    niceness: Int32 = ConnectedChild.niceness
  ) -> AnsweringProcess {
    var patience = patience
    if let seconds {
      patience.time = min(patience.time, .seconds(seconds * PlanningLimits.patience))
    }
    if let answerSize { patience.answerSize = min(patience.answerSize, answerSize) }
    return AnsweringProcess(
      executable, [Self.program, service, SheafVersion.current], patience: patience,
      niceness: niceness)
  }

  /// Whether an error is not the fault of the input that the process worked on, so that a retry may succeed.
  package static func isPassing(_ error: JobError) -> Bool {
    [.mediaProcessKilled, .mediaProcessTimedOut, .mediaProgramUnusable]
      .contains(error.failure.code)
  }

  /// Decodes an entire file to verify it.
  ///
  /// - Parameter index: the file's media index.
  package func verify(_ file: ProbeRequest, index: MediaIndex) async throws -> [StreamVerification]
  {
    try await gate.enter()
    defer { gate.leave() }
    var request = file
    request.verifies = true
    request.limits.memory = max(request.limits.memory, 4 << 30)
    request.seconds = 1800
    // All frames are decoded twice, at a few a second on a slow machine.
    let frames = index.video.reduce(0) { $0 + $1.frames.times.count }
    let answer = try await ChildDialogue(process("probe"), subject: file.name).ask(
      FarmCoding.encode(request), reading: [file.path],
      computing: .seconds(Double(60 + frames) + index.duration.seconds))
    guard case .verified(let streams) = answer else {
      throw JobError(.mediaProcessDied, "\(file.name): the media process returned no answer")
    }
    return streams
  }

  package func check(_ request: EncoderCheck) async throws -> [Finding] {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(
      process("check"), subject: "export.video",
      remedy: "remove encoder options")
    guard case .findings(let findings) = try await child.ask(FarmCoding.encode(request)) else {
      throw JobError(
        .mediaProcessFailed, "export.video: the media process returned no answer")
    }
    return findings
  }

  package func typeset(_ request: TypesetRequest) async throws -> [LayerRaster] {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(
      process("typeset"), subject: "the animation's layers",
      remedy: "simplify them, or remove the image that causes this")
    let answer = try await child.ask(FarmCoding.encode(request))
    if case .findings(let findings) = answer {
      await child.end()
      throw ProjectError(findings: findings)
    }
    guard case .rasters(let rasters) = answer else {
      throw JobError(
        .mediaProcessDied, "the animation's layers: the media process returned no pictures")
    }
    // Kills the child first, so that it cannot change its files any more.
    await child.end()
    return rasters
  }

  /// How much lower the priority of looking for damage is than that of other work.
  private static let decodingNiceness: Int32 = 19

  package func findDamage(_ request: DecodingRequest) async throws -> DamagedSegment? {
    let child = ChildDialogue(
      process("decode", answerSize: Self.factsSize, niceness: Self.decodingNiceness),
      subject: "the segments' frames")
    let answer = try await child.ask(
      FarmCoding.encode(request), reading: request.files.values.map(\.path),
      computing: .seconds(60 + request.frameCount))
    await child.end()
    switch answer {
    case .done: return nil
    case .damaged(let segment) where request.segments.indices.contains(segment.index):
      return segment
    default:
      throw JobError(
        .mediaProcessDied, "the segments' frames: the media process returned no answer")
    }
  }

  /// The maximum size of the answer to a mix in bytes. A list of 30,000 parts of damaged sound is the longest.
  private static let mixSize = 8 << 20

  package func mix(
    for submitter: String?, telling tell: @Sendable (SoundNews) -> Void,
    _ request: @Sendable () async throws -> (MixRequest, PlanFacts.Sound)
  ) async throws -> MixedSound {
    try await mixing.run(for: submitter) {
      let (request, sound) = try await request()
      let names = Self.list(sound.sources.map(\.name))
      let child = ChildDialogue(
        process("mix", answerSize: Self.mixSize), subject: "the sound of \(names)")
      let encoded = try await LongCoding.run(byteCount: request.files.count << 8) {
        try FarmCoding.encode(request)
      }
      var answer = try await child.ask(
        encoded, reading: request.files.values.map(\.path),
        computing: .seconds(sound.computing))
      for _ in 0..<request.newsLimit {
        guard case .mixing(let news) = answer else { break }
        tell(news)
        answer = try await child.next()
      }
      guard case .mixed(let mixed) = answer else {
        throw JobError(
          .mediaProcessFailed, "the media process returned no mix of \(names)")
      }
      return mixed
    }
  }

  /// The first names, and the number of further ones.
  private static func list(_ names: [String]) -> String {
    let names = Set(names).sorted()
    let shown = names.prefix(20).joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }

  package func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly {
    let assembly = AssemblyChild(
      child: ChildDialogue(
        process("assemble"), subject: "the job's file",
        remedy: "retry the job, which keeps its chunks"))
    try await assembly.begin(beginning)
    return assembly
  }
}
