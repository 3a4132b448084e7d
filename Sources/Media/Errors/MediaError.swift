import Glibc

/// A failure to read, decode, encode or write media. It names the asset or file that it happened on.
public struct MediaError: Error, Hashable, Sendable {
  /// The kind of failure, for callers to act on. Later versions may add more.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String, Hashable, Sendable {
      case emptyFile = "empty-file"
      case notMedia = "not-media"
      case unsupportedFormat = "unsupported-format"
      case unsupportedCodec = "unsupported-codec"
      case truncated = "truncated"
      case damaged = "damaged"
      case noVideoStream = "no-video-stream"
      case noAudioStream = "no-audio-stream"
      case noSuchStream = "no-such-stream"
      case frameMissing = "frame-missing"
      case frameDamaged = "frame-damaged"
      case soundDamaged = "sound-damaged"
      case readFailed = "read-failed"
      case damagedAsset = "damaged-asset"
      case writeFailed = "write-failed"
      case encoderFailed = "encoder-failed"
      case conversionFailed = "conversion-failed"
      case outOfMemory = "out-of-memory"
      case invalidSettings = "invalid-settings"
    }
    fileprivate let kind: Kind

    /// The name on the wire, such as `not-media`. It never changes, even if the case is renamed.
    public var wireName: String { kind.rawValue }

    /// The file has no bytes.
    public static let emptyFile = Code(kind: .emptyFile)
    /// The file is not media of any known kind.
    public static let notMedia = Code(kind: .notMedia)
    /// The container or playlist is recognized but not supported.
    public static let unsupportedFormat = Code(kind: .unsupportedFormat)
    /// A stream's codec is not supported.
    public static let unsupportedCodec = Code(kind: .unsupportedCodec)
    /// The file ends before the data that its index refers to.
    public static let truncated = Code(kind: .truncated)
    /// The contents contradict themselves.
    public static let damaged = Code(kind: .damaged)
    /// The asset has no video stream, but one is needed.
    public static let noVideoStream = Code(kind: .noVideoStream)
    /// The asset has no audio stream, but one is needed.
    public static let noAudioStream = Code(kind: .noAudioStream)
    /// The asset has no stream with this index.
    public static let noSuchStream = Code(kind: .noSuchStream)
    /// Decoding does not yield the frame.
    public static let frameMissing = Code(kind: .frameMissing)
    /// The frame decodes with damage.
    public static let frameDamaged = Code(kind: .frameDamaged)
    /// Sound is damaged or missing.
    public static let soundDamaged = Code(kind: .soundDamaged)
    /// The source of bytes failed; trying again may help.
    public static let readFailed = Code(kind: .readFailed)
    /// The asset's bytes do not match its block digests: they changed on a disk or in transit.
    public static let damagedAsset = Code(kind: .damagedAsset)
    /// The output could not be written.
    public static let writeFailed = Code(kind: .writeFailed)
    /// An encoder rejected its settings or a frame.
    public static let encoderFailed = Code(kind: .encoderFailed)
    /// The scaler or the resampler cannot do a conversion.
    public static let conversionFailed = Code(kind: .conversionFailed)
    /// An allocation failed.
    public static let outOfMemory = Code(kind: .outOfMemory)
    /// The settings are invalid.
    public static let invalidSettings = Code(kind: .invalidSettings)
  }

  /// The kind of failure.
  public var code: Code
  /// The problem, e.g. `cannot open the media file`.
  public var problem: String
  /// The asset or file that the operation failed on.
  public var subject: String
  /// The suggested remedy, if any.
  public var remedy: String?
  /// The underlying text, from libav or the operating system.
  public var cause: String?
  /// The `errno` of the system call that failed, if one did.
  public var systemError: Int32?

  /// Creates an error. If `cause` is `nil`, the cause is the system's text for `systemError`. A lack of memory always has
  /// a remedy.
  public init(
    _ code: Code, _ problem: String, on subject: String, remedy: String? = nil,
    cause: String? = nil, systemError: Int32? = nil
  ) {
    self.code = code
    self.problem = problem
    self.subject = subject
    self.remedy = remedy ?? (code == .outOfMemory ? "run it on a host with more free memory" : nil)
    self.cause = cause ?? systemError.map { String(cString: strerror($0)) }
    self.systemError = systemError
  }

  /// The whole sentence: `what failed: on what: what to do (cause)`.
  public var message: String {
    var message = "\(problem): \(subject)"
    if let remedy { message += ": \(remedy)" }
    if let cause { message += " (\(cause))" }
    return message
  }
}

extension MediaError: CustomStringConvertible {
  /// ``message``.
  public var description: String { message }
}
