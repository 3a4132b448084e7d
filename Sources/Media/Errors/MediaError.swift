/// A failure to read, decode, encode or write media. It names the asset or file that it happened on.
public struct MediaError: Error, Hashable, Sendable {
  /// The kind of failure, for callers to act on. Later versions may add more.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String, Hashable, Sendable {
      case emptyFile, notMedia, unsupportedFormat, unsupportedCodec, truncated, damaged
      case noVideoStream, noAudioStream, noSuchStream, frameMissing, frameDamaged, soundDamaged
      case readFailed, damagedAsset, writeFailed, encoderFailed, conversionFailed, outOfMemory,
        invalidSettings
    }
    fileprivate let kind: Kind

    /// The file has no bytes.
    public static let emptyFile = Code(kind: .emptyFile)
    /// The file is not media of any known kind.
    public static let notMedia = Code(kind: .notMedia)
    /// The container or playlist is recognised but not supported.
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

  /// Creates an error.
  public init(
    _ code: Code, _ problem: String, on subject: String, remedy: String? = nil,
    cause: String? = nil
  ) {
    self.code = code
    self.problem = problem
    self.subject = subject
    self.remedy = remedy
    self.cause = cause
  }

  /// The whole sentence: `what failed: on what: what to do (cause)`.
  public var message: String {
    var message = "\(problem): \(subject)"
    if let remedy { message += ": \(remedy)" }
    if let cause { message += " (\(cause))" }
    return message
  }
}

extension MediaError.Code: CustomStringConvertible {
  /// The code's name, e.g. `notMedia`.
  public var description: String { kind.rawValue }
}

extension MediaError: CustomStringConvertible {
  /// ``message``.
  public var description: String { message }
}
