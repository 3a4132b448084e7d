import FarmAPI

/// Jobs and workers by the beginnings of their ids.
extension FarmConnection {
  /// The most matches that a message lists.
  private static let listed = 8

  /// The job with an id, or with the only id that begins with a text.
  ///
  /// - Throws: ``CommandFailure``, also if there are several.
  package func job(matching text: String) async throws -> JobStatus {
    let path = "/jobs/\(escape(text))"
    if !text.isEmpty, let job: JobStatus = try await find(path) { return job }
    let matches = text.isEmpty ? [] : try await jobs().filter { $0.id.hasPrefix(text) }
    guard matches.count > 1 else {
      // If there is none, the coordinator says so.
      return try await job(matches.first?.id ?? text)
    }
    throw ambiguous(text, matches.map { "\($0.id) \($0.state.rawValue) \($0.name)" }, of: "jobs")
  }

  /// The worker with an id or a name, or with the only id that begins with a text.
  ///
  /// - Throws: ``CommandFailure`` if there is none, or if there are several.
  package func worker(matching text: String) async throws -> WorkerStatus {
    let workers = try await workers()
    if let worker = workers.first(where: { $0.id == text }) { return worker }
    let all = workers.filter { $0.name == text }
    // A worker that restarts gets another id, and its earlier one is listed as lost for a while.
    let present = all.filter { $0.state != .lost }
    let named = present.isEmpty ? all : present
    let matches =
      !named.isEmpty || text.isEmpty ? named : workers.filter { $0.id.hasPrefix(text) }
    if matches.count == 1 { return matches[0] }
    guard matches.isEmpty else {
      throw ambiguous(
        text, matches.map { "\($0.id) \($0.state.rawValue) \($0.name)" }, of: "workers")
    }
    throw CommandFailure(
      .failed, lines: ["there is no worker '\(text)': see `\(command("workers"))`"])
  }

  func ambiguous(_ text: String, _ matches: [String], of kind: String) -> CommandFailure {
    let rest = matches.count - Self.listed
    return CommandFailure(
      .usage,
      lines: ["\(matches.count) \(kind) match: \(text): write more of the id:"]
        + matches.prefix(Self.listed).map { "  \($0)" }
        + (rest > 0 ? ["  and \(rest) more"] : []))
  }
}
