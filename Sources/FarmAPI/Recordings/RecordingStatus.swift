import Foundation
import Recording
import Timeline

/// A recording as the farm reports it.
public struct RecordingStatus: Hashable, Codable, Sendable {
  /// The id that the coordinator gave it when it was accepted.
  public var id: String
  /// The name in its submission, which need not be unique.
  public var name: String
  /// The source of its stream.
  public var source: RecordingSource
  /// The length in seconds at which it stops; `nil` if it has no limit.
  public var length: RationalTime?
  /// The size in bytes at which it stops; `nil` if it has no limit.
  public var byteLimit: Int64?
  /// The length in seconds of each finished file, at least; `nil` if it is not split.
  public var splitLength: RationalTime?
  /// How to encode streams that MP4 files cannot hold; `nil` for the default settings.
  public var encoding: RecordingEncoding?
  /// The settings to request from capture devices; `nil` for the default settings, and for other sources.
  public var capture: CaptureSettings?
  /// The name of the token that it was submitted with, if a token was needed.
  public var submitter: String?
  /// Whether it is being received, is being finished, or has ended.
  public var state: RecordingState
  /// The time when it was accepted.
  public var createdAt: Date
  /// The time when it ended.
  public var endedAt: Date?
  /// When its last committed picture ends, in seconds from the start of the recording.
  public var duration: RationalTime
  /// The number of bytes in its committed fragments.
  public var byteCount: Int64
  /// Its parts: one for each start of the source's clock, each in one format.
  public var parts: [RecordedPart]
  /// The first 1,000 periods without samples in its parts. They are missing from the list of all recordings.
  public var gaps: [PartGap]
  /// The losses of all parts that have ended.
  public var losses: RecordingLosses
  /// The streams of the source that are not recorded, and why.
  public var ignored: [String]
  /// The reason why it failed.
  public var failure: JobFailure?
  /// The finished files, in order: at least one for each run of parts in one format.
  public var outputs: [OutputFile]

  /// A gap, whose times count from the start of a part.
  public struct PartGap: Hashable, Codable, Sendable {
    /// The part's ``RecordedPart/number``.
    public var part: Int
    /// The track without samples, and the start and end of the gap.
    public var gap: RecordingGap

    /// Creates a gap.
    public init(part: Int, gap: RecordingGap) {
      self.part = part
      self.gap = gap
    }
  }

  /// The submission that started it, without its passphrase.
  public var submission: RecordingSubmission {
    RecordingSubmission(
      name: name, source: source, length: length, byteLimit: byteLimit, splitLength: splitLength,
      encoding: encoding, capture: capture)
  }

  /// Creates the status of a new recording.
  public init(
    id: String, submission: RecordingSubmission, submitter: String?, createdAt: Date
  ) {
    self.id = id
    name = submission.name
    source = submission.source
    length = submission.length
    byteLimit = submission.byteLimit
    splitLength = submission.splitLength
    encoding = submission.encoding
    capture = submission.capture
    self.submitter = submitter
    state = .preparing
    self.createdAt = createdAt
    duration = .zero
    byteCount = 0
    parts = []
    gaps = []
    losses = RecordingLosses()
    ignored = []
    outputs = []
  }
}
