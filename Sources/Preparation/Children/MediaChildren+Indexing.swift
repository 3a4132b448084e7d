import FarmAPI
import Foundation
import Planning
import Processes
import Threads
import Timeline

extension MediaChildren {
  /// The maximum number of files that one child probes, each in a process forked from it. Starting a child takes longer
  /// than reading a small file.
  private static let filesPerChild = 16

  package func index(
    _ files: [ProbeRequest], in directory: String, for submitter: String?,
    keeping keep: @escaping @Sendable (_ place: Int, _ index: String) async throws -> Void
  ) async throws -> [JobError?] {
    let shares = try await inShares(files) { places -> Result<[JobError?], JobError> in
      let outcomes: [Result<String, JobError>]
      do {
        outcomes = try await turn(at: planning, of: submitter) {
          // The processes of different files cannot reach each other's indexes.
          let requests = places.map { place in
            var request = files[place]
            request.output = "\(directory)/\(place)/index"
            return request
          }
          try await Self.makeFolders(for: requests)
          return try await zip(requests, answers(to: requests)).map { request, answer in
            answer.map { _ in request.output ?? "" }
          }
        }
      } catch let error as JobError where error.failure.code == .planningQuotaReached {
        // The processes that already run are not stopped, and their indexes are kept.
        return .failure(error)
      }
      var errors: [JobError?] = []
      for (place, outcome) in zip(places, outcomes) {
        switch outcome {
        case .success(let index):
          try await keep(place, index)
          errors.append(nil)
        case .failure(let error): errors.append(error)
        }
      }
      return .success(errors)
    }
    return try shares.flatMap { try $0.get() }
  }

  private static func makeFolders(for files: [ProbeRequest]) async throws {
    try await BlockingThread.run(named: "index") {
      for output in files.compactMap(\.output) {
        try FileManager.default.createDirectory(
          at: URL(fileURLWithPath: output).deletingLastPathComponent(),
          withIntermediateDirectories: true)
      }
    }
  }

  package func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>] {
    try await inShares(files) { try await probe(Array(files[$0])) }.flatMap(\.self)
  }

  /// Divides files into shares, each of which one child probes. The gates limit the number of children at a time.
  ///
  /// - Returns: the value for each share, in order.
  private func inShares<Value: Sendable>(
    _ files: [ProbeRequest], _ serve: @escaping @Sendable (Range<Int>) async throws -> Value
  ) async throws -> [Value] {
    let share = min(Self.filesPerChild, (files.count + limit - 1) / limit)
    guard share > 0 else { return [] }
    return try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      for first in stride(from: 0, to: files.count, by: share) {
        group.addTask { (first, try await serve(first..<min(first + share, files.count))) }
      }
      var values: [(first: Int, value: Value)] = []
      for try await (first, value) in group { values.append((first, value)) }
      return values.sorted { $0.first < $1.first }.map(\.value)
    }
  }

  private func probe(_ files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>] {
    try await gate.enter()
    defer { gate.leave() }
    return try await zip(files, answers(to: files)).map { file, outcome in
      outcome.flatMap { answer in
        guard case .index(let index) = answer else {
          return .failure(
            JobError(.mediaProcessDied, "\(file.name): the media process returned no index"))
        }
        return .success(index)
      }
    }
  }

  /// Sends the requests to a child, and starts a new one whenever the last has ended. All have ended on return.
  private func answers(
    to files: [ProbeRequest]
  ) async throws -> [Result<ChildAnswer, JobError>] {
    let seconds = files.map { $0.limits.probeSeconds(byteCount: Patience.size($0.path)) }
    var results: [Result<ChildAnswer, JobError>] = []
    var served: AnsweringProcess?
    for (place, var file) in files.enumerated() {
      file.seconds = seconds[place]
      var answer: Result<ChildAnswer, JobError>?
      if let child = served {
        answer = try await self.answer(to: file, by: child)
        // Something else may have ended the child since the previous file, so the file is tried again with a child of
        // its own before it is blamed. A file that exceeded a limit is not tried again.
        if case .failure(let error) = answer, error.failure.code != .limitReached,
          await child.hasEnded
        {
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
      if let child = served, await child.hasEnded { served = nil }
      results.append(answer)
    }
    if let served {
      served.kill()
      _ = await served.wait()
    }
    return results
  }

  private func answer(
    to file: ProbeRequest, by child: AnsweringProcess
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
