/// A request that the farm does not fulfill.
package struct FarmError: Error, Hashable, CustomStringConvertible {
  /// The kind of problem.
  package struct Code: Hashable, Sendable {
    private enum Kind {
      case notFound, wrongState, outputDeleted, limitReached, keyReused, staleLease, unavailable
      case invalidChunk, damagedChunk
    }
    private let kind: Kind
    /// The job, asset or worker does not exist, or the caller may not know about it.
    package static let notFound = Code(kind: .notFound)
    /// The job's state does not allow it.
    package static let wrongState = Code(kind: .wrongState)
    /// The job's finished file was deleted, but not the job.
    package static let outputDeleted = Code(kind: .outputDeleted)
    /// The caller or the farm has reached a limit.
    package static let limitReached = Code(kind: .limitReached)
    /// Another body was submitted under the same key.
    package static let keyReused = Code(kind: .keyReused)
    /// The lease is not in force: it never was, or it has ended.
    package static let staleLease = Code(kind: .staleLease)
    /// The coordinator cannot write to its disk at the moment.
    package static let unavailable = Code(kind: .unavailable)
    /// The chunk is not what the lease asked for.
    package static let invalidChunk = Code(kind: .invalidChunk)
    /// The chunk changed in transit.
    package static let damagedChunk = Code(kind: .damagedChunk)
  }

  package let code: Code
  /// The problem, its subject and the remedy.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

extension FarmError {
  /// The error for something that does not exist.
  static func notFound(_ what: String, _ id: String) -> FarmError {
    FarmError(.notFound, "there is no \(what) '\(id)'")
  }

  /// The lease is not in force: it never was, or it has ended.
  static let staleLease = FarmError(
    .staleLease, "the lease is no longer valid: stop rendering and request another lease")

  /// The coordinator cannot write to its disk at the moment.
  static let tryAgain = FarmError(
    .unavailable,
    "the coordinator cannot write to its disk right now: retry in 5 seconds; the "
      + "coordinator's log states the reason")
}
