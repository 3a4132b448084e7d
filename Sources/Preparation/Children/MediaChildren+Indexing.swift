import FarmAPI
import Foundation
import Planning
import Processes
import Threads
import Timeline

extension MediaChildren {
  package func index(
    _ files: [ProbeRequest], in directory: String, for submitter: String?,
    keeping keep: @escaping @Sendable (_ place: Int, _ index: String) async throws -> Void
  ) async throws -> [JobError?] {
    let outcomes = try await forEach(files) { place, file -> Result<JobError?, JobError> in
      // The processes of different files cannot reach each other's indexes.
      let output = "\(directory)/\(place)/index"
      var request = file
      request.output = output
      let outcome: Result<ChildAnswer, JobError>
      do {
        outcome = try await turn(at: planning, of: submitter) { [request] in
          try await Self.makeFolder(of: output)
          return try await answer(to: request)
        }
      } catch let error as JobError where error.failure.code == .planningQuotaReached {
        // The processes that already run are not stopped, and their indexes are kept.
        return .failure(error)
      }
      if case .failure(let error) = outcome { return .success(error) }
      try await keep(place, output)
      return .success(nil)
    }
    return try outcomes.map { try $0.get() }
  }

  private static func makeFolder(of output: String) async throws {
    try await BlockingThread.run(named: "index") {
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: output).deletingLastPathComponent(),
        withIntermediateDirectories: true)
    }
  }

  package func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>] {
    try await forEach(files) { _, file in
      try await gate.enter()
      defer { gate.leave() }
      return try await answer(to: file).flatMap { answer in
        guard case .index(let index) = answer else {
          return .failure(
            JobError(.mediaProcessDied, "\(file.name): the media process returned no index"))
        }
        return .success(index)
      }
    }
  }

  /// Works on several files at the same time: one more than children may run, so that none has to wait for its turn.
  ///
  /// - Returns: the value for each file, in order.
  private func forEach<Value: Sendable>(
    _ files: [ProbeRequest],
    _ work: @escaping @Sendable (_ place: Int, _ file: ProbeRequest) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      var waiting = files.enumerated().makeIterator()
      func beginNext() {
        guard let (place, file) = waiting.next() else { return }
        group.addTask { (place, try await work(place, file)) }
      }
      for _ in 0...limit { beginNext() }
      var values: [(place: Int, value: Value)] = []
      for try await (place, value) in group {
        values.append((place, value))
        beginNext()
      }
      return values.sorted { $0.place < $1.place }.map(\.value)
    }
  }

  /// Probes a file in a process of its own, which has ended on return.
  private func answer(to file: ProbeRequest) async throws -> Result<ChildAnswer, JobError> {
    var file = file
    let seconds = file.limits.probeSeconds(byteCount: Patience.size(file.path))
    file.seconds = seconds
    let child = ChildDialogue(
      process("probe", seconds: seconds, answerSize: file.output.map { _ in Self.factsSize }),
      subject: file.name, limits: file.limits, secondsOption: "--max-probe-seconds",
      bytesOption: "--max-index-bytes")
    let answer: Result<ChildAnswer, JobError>
    do {
      answer = .success(try await child.ask(FarmCoding.encode(file), reading: [file.path]))
    } catch let error as JobError {
      answer = .failure(error)
    }
    await child.end()
    return answer
  }
}
