import Timeline

/// The body of `POST /recordings`.
public struct RecordingSubmission: Hashable, Codable, Sendable {
  /// A name for people.
  public var name: String
  /// Where the recording comes from.
  public var source: RecordingSource
  /// The length in seconds after which the recording stops; `nil` to record until it is stopped.
  public var length: RationalTime?

  /// Creates a submission.
  public init(name: String, source: RecordingSource, length: RationalTime? = nil) {
    self.name = name
    self.source = source
    self.length = length
  }
}
