import Timeline

/// The format that a file with copied pictures declares for all of them.
public struct CarriedFormat: Hashable, Codable, Sendable {
  /// The largest delay between decoding and presenting a packet of any chunk, in frames.
  public var delay: Int
  /// The pixel format of the pictures, by libav's name.
  public var pixelFormat: String
  /// The parameter sets that the packets of copied segments refer to, each once: the out-of-band ones of their sources,
  /// or their AV1 sequence headers.
  public var parameterSets: [[UInt8]]
  /// How the other segments are encoded; `nil` if there are none.
  public var encoded: EncodedFormat?
  /// The width of a pixel over its height.
  public var pixelAspectRatio: RationalTime
  /// The clean aperture in coded pixels; `nil` if the sources declare none.
  public var cleanAperture: PixelRect?
  /// How players rotate and mirror the pictures.
  public var orientation: Orientation

  /// The format of segments that cannot be copied.
  public struct EncodedFormat: Hashable, Codable, Sendable {
    /// The encoder's settings.
    public var video: VideoSettings
    /// The format that layers are composited in.
    public var workingFormat: WorkingFormat?

    /// Creates a format.
    public init(video: VideoSettings, workingFormat: WorkingFormat?) {
      self.video = video
      self.workingFormat = workingFormat
    }
  }

  /// Creates a format.
  public init(
    delay: Int, pixelFormat: String, parameterSets: [[UInt8]], encoded: EncodedFormat?,
    pixelAspectRatio: RationalTime = RationalTime(1), cleanAperture: PixelRect? = nil,
    orientation: Orientation = .identity
  ) {
    self.delay = delay
    self.pixelFormat = pixelFormat
    self.parameterSets = parameterSets
    self.encoded = encoded
    self.pixelAspectRatio = pixelAspectRatio
    self.cleanAperture = cleanAperture
    self.orientation = orientation
  }
}
