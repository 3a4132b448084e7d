import FarmAPI
import Foundation
import Planning
import Processes
import Threads
import Timeline

extension MediaChildren {
  /// The maximum number of files that one child probes, each in a process forked from it. Starting a child takes longer than
  /// reading a small file.
  private static let filesPerChild = 16

  package func index(
    _ files: [ProbeRequest], in directory: String, for submitter: String?,
    keeping keep: @escaping @Sendable (_ place: Int, _ index: String) async throws -> Void
  ) async throws -> [JobError?] {
    let share = min(Self.filesPerChild, (files.count + limit - 1) / limit)
    guard share > 0 else { return [] }
    return try await withThrowingTaskGroup(of: IndexedPart.self) { group in
      for first in stride(from: 0, to: files.count, by: share) {
        let places = first..<min(first + share, files.count)
        group.addTask {
          // The processes of different files cannot reach each other's indexes.
          var part = files
          for place in places { part[place].output = "\(directory)/\(place)/index" }
          try await Self.makeFolders(for: part[places])
          let outcomes: [Result<ChildAnswer, JobError>]
          do {
            outcomes = try await turn(at: planning, of: submitter) { [part] in
              try await answers(to: part[places])
            }
          } catch let error as JobError where error.failure.code == PlanningQuota.code {
            // The processes that already run are not stopped, and their indexes are kept.
            return IndexedPart(first: first, outcome: .failure(error))
          }
          var errors: [JobError?] = []
          for (place, outcome) in zip(places, outcomes) {
            switch outcome {
            case .success:
              if let index = part[place].output { try await keep(place, index) }
              errors.append(nil)
            case .failure(let error): errors.append(error)
            }
          }
          return IndexedPart(first: first, outcome: .success(errors))
        }
      }
      var parts: [IndexedPart] = []
      for try await part in group { parts.append(part) }
      return try parts.sorted { $0.first < $1.first }.flatMap { try $0.outcome.get() }
    }
  }

  private static func makeFolders(for files: ArraySlice<ProbeRequest>) async throws {
    try await BlockingThread.run(named: "index") {
      for output in files.compactMap(\.output) {
        try FileManager.default.createDirectory(
          at: URL(fileURLWithPath: output).deletingLastPathComponent(),
          withIntermediateDirectories: true)
      }
    }
  }

  /// The outcome of indexing some consecutive files.
  private struct IndexedPart: Sendable {
    /// The place of the first file.
    let first: Int
    /// For each file, why it has no index; a failure if the submitter's quota was used up before its turn.
    let outcome: Result<[JobError?], JobError>
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

  private func probe(_ files: ArraySlice<ProbeRequest>) async throws
    -> [Result<MediaIndex, JobError>]
  {
    try await gate.enter()
    defer { gate.leave() }
    return try await zip(files, answers(to: files)).map { file, outcome in
      outcome.flatMap { answer in
        guard case .index(let index) = answer else {
          return .failure(
            JobError(Self.deathCode, "\(file.name): the media process returned no index"))
        }
        return .success(index)
      }
    }
  }

  /// Sends the requests to a child, and starts a new one whenever the last has ended. All have ended on return.
  private func answers(
    to files: ArraySlice<ProbeRequest>
  ) async throws -> [Result<ChildAnswer, JobError>] {
    let seconds = files.map { $0.limits.probeSeconds(byteCount: Patience.size($0.path)) }
    var results: [Result<ChildAnswer, JobError>] = []
    var served: ChildProcess?
    for (place, var file) in zip(files.indices, files) {
      file.seconds = seconds[place - files.startIndex]
      var answer: Result<ChildAnswer, JobError>?
      if let child = served {
        answer = try await self.answer(to: file, by: child)
        // Something else may have ended the child since the previous file, so this file is blamed only if its own child
        // dies.
        if case .failure(let error) = answer, Self.isDeath(error) {
          await Self.end(child)
          answer = nil
        }
      }
      if answer == nil {
        let child = process(
          "probe", seconds: seconds.max() ?? 0,
          answerSize: file.output.map { _ in Self.factsSize })
        answer = try await self.answer(to: file, by: child)
        served = child
      }
      guard let answer else { continue }
      if case .failure(let error) = answer, Self.isDeath(error), let child = served {
        await Self.end(child)
        served = nil
      }
      results.append(answer)
    }
    if let served { await Self.end(served) }
    return results
  }

  private static func end(_ child: ChildProcess) async {
    child.kill()
    _ = await child.wait()
  }

  private static func isDeath(_ error: JobError) -> Bool {
    [deathCode, killedCode, JobError.limitReached].contains(error.failure.code)
  }

  private func answer(
    to file: ProbeRequest, by child: ChildProcess
  ) async throws -> Result<ChildAnswer, JobError> {
    do {
      return .success(
        try await ChildDialogue(
          child, subject: file.name, limits: file.limits, secondsOption: "--max-probe-seconds",
          bytesOption: "--max-index-bytes"
        ).ask(FarmCoding.encode(file), reading: [file.path]))
    } catch let error as JobError {
      return .failure(error)
    }
  }
}
