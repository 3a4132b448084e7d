import Timeline

/// What a file with copied pictures says of all of them.
public struct CarriedFormat: Hashable, Codable, Sendable {
  /// How many frames a packet of any chunk may be decoded before it is presented.
  public var delay: Int
  /// The layout of the pictures by libav's name.
  public var pixelFormat: String
  /// What the packets of copied segments go by, each once: what their sources have out of band, or their sequence
  /// headers, of AV1.
  public var parameterSets: [[UInt8]]
  /// How the other segments are encoded; `nil` where there are none.
  public var encoded: EncodedFormat?
  /// The width of a pixel over its height.
  public var pixelAspectRatio: RationalTime
  /// The clean aperture in coded pixels, where the sources declare one.
  public var cleanAperture: PixelRect?
  /// How players turn the pictures.
  public var orientation: Orientation

  /// How segments are encoded that cannot be copied.
  public struct EncodedFormat: Hashable, Codable, Sendable {
    /// The encoder's settings.
    public var video: VideoSettings
    /// What the layers are composited in.
    public var workingFormat: WorkingFormat?

    /// A format from its parts.
    public init(video: VideoSettings, workingFormat: WorkingFormat?) {
      self.video = video
      self.workingFormat = workingFormat
    }
  }

  /// A format from its parts.
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
