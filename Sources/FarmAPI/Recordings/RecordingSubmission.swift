import Timeline

/// The body of `POST /recordings`.
public struct RecordingSubmission: Hashable, Codable, Sendable {
  /// A name for people.
  public var name: String
  /// The source of the stream.
  public var source: RecordingSource
  /// The length in seconds at which the recording stops; `nil` to record until it is stopped.
  public var length: RationalTime?
  /// The secret that an SRT connection is encrypted with; `nil` for none. Statuses do not contain it.
  public var passphrase: RecordingPassphrase?

  /// Creates a submission.
  public init(
    name: String, source: RecordingSource, length: RationalTime? = nil,
    passphrase: RecordingPassphrase? = nil
  ) {
    self.name = name
    self.source = source
    self.length = length
    self.passphrase = passphrase
  }
}
