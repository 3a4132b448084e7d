import FarmAPI

extension FarmConnection {
  /// The maximum number of attempts with logs in one response.
  private static let loggedPart = 100

  /// The attempts at a job's segments with their logs, in the order of their starts.
  ///
  /// - Parameter skipped: the number of attempts to leave out at the beginning.
  package func attempts(of id: String, skipping skipped: Int = 0) async throws -> [SegmentAttempt] {
    var attempts: [SegmentAttempt] = []
    while true {
      let part: [SegmentAttempt] = try await get(
        "/jobs/\(escape(id))/attempts?logs=true&limit=\(Self.loggedPart)"
          + "&after=\(skipped + attempts.count)")
      attempts += part
      if part.count < Self.loggedPart { return attempts }
    }
  }

  /// The attempts at one segment with their logs, in the order of their starts.
  package func attempts(at segment: Int, of id: String) async throws -> [SegmentAttempt] {
    let newestFirst: [SegmentAttempt] = try await get(
      "/jobs/\(escape(id))/segments/\(segment)/attempts")
    return newestFirst.reversed()
  }
}
