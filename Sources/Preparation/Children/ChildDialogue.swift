import FarmAPI
import Foundation
import Processes
import ProjectFormat
import Timeline

/// Sends requests to a child process, and interprets missing answers.
struct ChildDialogue: Sendable {
  let process: AnsweringProcess
  /// The subject of the work, for messages.
  let subject: String
  /// The remedy to suggest if the process dies.
  let remedy: String
  /// The limits that options set for the child; `nil` for its usual ones.
  let limits: PlanningLimits?
  /// The name of the option that limits its processor time.
  let secondsOption: String
  /// The name of the option that limits the bytes of a media index, if it writes one.
  let bytesOption: String?

  init(
    _ process: AnsweringProcess, subject: String,
    remedy: String = "the file may be damaged: convert it or leave it out",
    limits: PlanningLimits? = nil, secondsOption: String = "", bytesOption: String? = nil
  ) {
    self.process = process
    self.subject = subject
    self.remedy = remedy
    self.limits = limits
    self.secondsOption = secondsOption
    self.bytesOption = bytesOption
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Throws: `ProjectError` with the findings of a project; ``JobError`` if the child fails or does not answer;
  ///   `CancellationError`.
  /// - Parameters:
  ///   - descriptor: a descriptor that the child gets a copy of; -1 for none.
  ///   - files: the files that must be read for the answer.
  ///   - computing: an upper bound on the computing time on an idle host.
  func ask(
    _ request: Data, passing descriptor: Int32 = -1, reading files: [String] = [],
    and byteCount: Int64 = 0, computing: Duration = .zero
  ) async throws -> ChildAnswer {
    try await answer {
      try await process.ask(
        [UInt8](request), passing: descriptor, reading: files, and: byteCount,
        computing: computing)
    }
  }

  /// Waits for another answer to the previous request, like ``ask(_:passing:reading:and:computing:)``.
  func next() async throws -> ChildAnswer {
    try await answer { try await process.next() }
  }

  /// Waits for an answer.
  private func answer(_ wait: () async throws -> [UInt8]) async throws -> ChildAnswer {
    try Task.checkCancellation()
    let bytes: [UInt8]
    do {
      bytes = try await withTaskCancellationHandler {
        try await wait()
      } onCancel: {
        process.kill()
      }
    } catch let silence as ChildSilence {
      try Task.checkCancellation()
      throw death(of: silence)
    }
    try Task.checkCancellation()
    let answer: ChildAnswer
    do {
      answer = try await LongCoding.run(byteCount: bytes.count) {
        [frames = process.patience.frameCount] in
        try FarmCoding.decode(ChildAnswer.self, from: Data(bytes), frames: frames)
      }
    } catch is CancellationError {
      await end()
      throw CancellationError()
    } catch {
      await end()
      throw JobError(
        .mediaProcessDied, "\(subject): its media process sent an invalid answer: \(remedy)")
    }
    if case .invalid(let error) = answer { throw error.shortened }
    if case .failure(let failure) = answer {
      guard failure.code == .outOfMemory, let limits else {
        throw JobError(failure.code, failure.message.shortened(toBytes: JobFailure.longestMessage))
      }
      throw JobError.beyond(
        Self.memoryOption,
        "\(failure.message.shortened(toBytes: JobFailure.longestMessage)): it takes more than "
          + "\(limits.memory) bytes of memory", remedy)
    }
    return answer
  }

  /// Kills the child.
  func end() async {
    process.kill()
    _ = await process.wait()
  }

  private static let memoryOption = "--max-planning-memory"

  /// The error for a child that died because of a limit; `nil` if it died for another reason.
  private func limit(of silence: ChildSilence) -> JobError? {
    let place = silence.lastWords.flatMap { $0.hasPrefix("at ") ? ": \($0)" : nil } ?? ""
    guard let limits else {
      guard silence.ending == .signaled(SIGXCPU) else { return nil }
      return JobError(
        .limitReached, "\(subject)\(place): it takes too much processor time: \(remedy)")
    }
    switch silence.ending {
    case .exited(OutOfMemory.exitCode):
      // The process crashed after the system had refused it memory, which is the likely cause, but not a certain one.
      return .beyond(
        Self.memoryOption,
        "\(subject)\(place): its media process crashed, and may have needed more than "
          + "\(limits.memory) bytes of memory", remedy)
    case .signaled(SIGXCPU):
      return .beyond(
        secondsOption, "\(subject)\(place): it exceeds the limit on processor time", remedy)
    case .signaled(SIGXFSZ):
      guard let bytesOption else {
        return JobError(
          .limitReached, "\(subject)\(place): its result is too large: \(remedy)")
      }
      return .beyond(bytesOption, "\(subject): its media index is too large", "split the file")
    default: return nil
    }
  }

  /// The error for a program that ended before it answered, because it cannot run; `nil` if that is not known.
  private func unusableProgram(_ silence: ChildSilence) -> JobError? {
    guard !silence.hadAnswered else { return nil }
    let remedy: String
    switch silence.ending {
    case .exited(MediaChildren.refusal):
      remedy = "install all programs of the same version, and restart this one"
    // The exit code of Linux's dynamic loader.
    case .exited(127): remedy = "install the libraries that it needs"
    default: return nil
    }
    return JobError(
      .mediaProgramUnusable,
      "\(MediaChildren.program) cannot be used: it \(silence.explanation): \(remedy)"
        + Self.quoted(silence.lastWords))
  }

  private static func quoted(_ lastWords: String?) -> String {
    lastWords.map { " (\($0))" } ?? ""
  }

  private func death(of silence: ChildSilence) -> JobError {
    if let error = limit(of: silence) ?? unusableProgram(silence) { return error }
    let code: FailureCode =
      switch silence.cause {
      case .child: .mediaProcessDied
      case .outside: .mediaProcessKilled
      case .timeout: .mediaProcessTimedOut
      }
    return JobError(
      code,
      "\(subject): its media process \(silence.explanation): \(remedy)"
        + Self.quoted(silence.lastWords))
  }
}
