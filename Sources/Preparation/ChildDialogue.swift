import FarmAPI
import Foundation
import Processes

/// Requests to a child process, and what its silence means.
struct ChildDialogue: Sendable {
  let process: ChildProcess
  /// What the process works on, for messages.
  let subject: String
  /// What to do where the process dies of it.
  let remedy: String

  init(
    _ process: ChildProcess, subject: String,
    remedy: String = "the file may be damaged: convert it or leave it out"
  ) {
    self.process = process
    self.subject = subject
    self.remedy = remedy
  }

  /// Sends a request and waits for its answer. A child that gives none, or is in the way of a cancelled task, is an
  /// error.
  ///
  /// - Parameters:
  ///   - files: what must be read for the answer.
  ///   - computing: how long it computes at the most where nothing else runs.
  func ask(
    _ request: Data, reading files: [String] = [], computing: Duration = .zero
  ) async throws -> ChildAnswer {
    try Task.checkCancellation()
    let line: Data
    do {
      line = try await withTaskCancellationHandler {
        try await process.ask(request, reading: files, computing: computing)
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
      answer = try FarmCoding.decode(
        ChildAnswer.self, from: line, frames: process.patience.frameCount)
    } catch {
      await end()
      throw JobError(
        MediaChildren.deathCode, "\(subject): its media process gave no sense: \(remedy)")
    }
    if case .failure(let failure) = answer { throw JobError(failure.code, failure.message) }
    return answer
  }

  /// Ends the child at once.
  func end() async {
    process.kill()
    _ = await process.wait()
  }

  private func death(of silence: ChildSilence) -> JobError {
    let last = silence.lastWords.map { " (\($0))" } ?? ""
    let code =
      switch silence.cause {
      case .child: MediaChildren.deathCode
      case .outside: MediaChildren.killedCode
      case .timeout: MediaChildren.timeoutCode
      }
    return JobError(
      code,
      "\(subject): its media process \(silence.explanation): \(remedy)\(last)")
  }
}
