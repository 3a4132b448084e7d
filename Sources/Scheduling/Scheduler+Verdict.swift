import FarmAPI

extension Scheduler {
  /// The failure of a segment's job, if the segment has failed too often.
  func verdict(on segment: SegmentID) -> JobFailure? {
    guard let failures = jobs[segment.job]?.segments[segment.index].failures else { return nil }
    let kills = failures.count { $0.report.isKill }
    let distinct = Set(
      failures.filter { !$0.report.isOfSurroundings && !$0.report.isKill }.map(\.worker)
    ).count
    guard
      distinct >= settings.distinctWorkerLimit || failures.count - kills >= settings.failureLimit
        || kills >= settings.expiryLimit, let code = failures.last?.report.code
    else { return nil }
    return JobFailure(
      code: code,
      message: Self.lines(of: failures).map { "\(describe(segment)): \($0)" }
        .joined(separator: "\n")
    ).shortened
  }

  /// The workers' messages, each once with the names of the workers that reported it.
  private static func lines(of failures: [FailedAttempt]) -> [String] {
    var messages: [String] = []
    var names: [String: [String]] = [:]
    for failure in failures {
      let message = failure.report.message
      if names[message] == nil { messages.append(message) }
      if names[message]?.contains(failure.workerName) != true {
        names[message, default: []].append(failure.workerName)
      }
    }
    return messages.map { "\(names[$0]?.joined(separator: ", ") ?? ""): \($0)" }
  }

  /// A description of a segment with its number and frames.
  func describe(_ segment: SegmentID) -> String {
    guard let frames = frames(of: segment) else { return "segment \(segment.index)" }
    return "segment \(segment.index) (frames \(frames.lowerBound)..<\(frames.upperBound))"
  }
}
