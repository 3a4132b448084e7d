import FarmAPI
import Recording

/// A recording that a job follows, as it is now: its excerpts, and whether there will be more.
struct FollowedRecording: Sendable {
  /// The path or URL of the asset in the submission.
  let place: String
  /// Whether nothing that is recorded later is used: the recording has ended, or everything that the project shows is
  /// recorded.
  let isComplete: Bool
  /// Its excerpts in order.
  let excerpts: [RecordedExcerpt]
}

extension [FollowedRecording] {
  /// Whether one of them is not complete.
  var areGrowing: Bool { contains { !$0.isComplete } }

  /// The places of those that are not complete.
  var growingPlaces: Set<String> { Set(lazy.filter { !$0.isComplete }.map(\.place)) }

  /// The number of their excerpts and of those that are complete, which grows with each of them; `nil` if all are
  /// complete, so that the plan is the final one.
  var excerptCount: Int? {
    areGrowing ? reduce(0) { $0 + $1.excerpts.count + ($1.isComplete ? 1 : 0) } : nil
  }
}

extension Workshop {
  /// The state of a recording.
  ///
  /// - Parameter name: the asset's name in messages.
  /// - Throws: ``JobError`` if there is none with this id.
  func recording(_ id: String, named name: String) async throws -> RecordingStatus {
    do {
      return try await farm.recording(id)
    } catch let error as FarmError where error.code == .notFound {
      throw JobError(
        .assetUnreachable,
        "\(name): there is no recording '\(id)': `sheaf recordings` lists them")
    }
  }
}
