import Timeline

/// The body of `POST /recordings`.
public struct RecordingSubmission: Hashable, Codable, Sendable {
  /// A name for people.
  public var name: String
  /// The source of the stream.
  public var source: RecordingSource
  /// The length in seconds at which the recording stops; `nil` to record until it is stopped.
  public var length: RationalTime?
  /// The size in bytes at which the recording stops; `nil` for no limit.
  public var byteLimit: Int64?
  /// The length in seconds of each finished file; `nil` for one file. Each ends with the first whole group of pictures
  /// that makes it at least this long.
  public var splitLength: RationalTime?
  /// The secret that an SRT connection is encrypted with, the stream key of an RTMP sender, or `user:password` for an RTSP
  /// server; `nil` for none. Statuses do not contain it.
  public var passphrase: RecordingPassphrase?
  /// How to encode streams that MP4 files cannot hold; `nil` for the default settings.
  public var encoding: RecordingEncoding?
  /// The settings to request from capture devices; `nil` for the default settings, and for other sources.
  public var capture: CaptureSettings?

  /// The shortest ``splitLength``, in seconds.
  public static let shortestSplit: Int64 = 10

  /// Creates a submission.
  public init(
    name: String, source: RecordingSource, length: RationalTime? = nil, byteLimit: Int64? = nil,
    splitLength: RationalTime? = nil, passphrase: RecordingPassphrase? = nil,
    encoding: RecordingEncoding? = nil, capture: CaptureSettings? = nil
  ) {
    self.name = name
    self.source = source
    self.length = length
    self.byteLimit = byteLimit
    self.splitLength = splitLength
    self.passphrase = passphrase
    self.encoding = encoding
    self.capture = capture
  }
}
