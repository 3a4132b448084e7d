/// A video stream of an asset.
public struct VideoStream: Hashable, Codable, Sendable {
  /// The stream's index in the container.
  public var streamIndex: Int
  /// The codec's name, e.g. `h264`.
  public var codec: String
  /// Seconds per tick, for all times below.
  public var timeBase: RationalTime
  /// Coded width and height in pixels, before pixel aspect ratio and rotation.
  public var size: PixelSize
  /// The pixel format's name, e.g. `yuv420p`.
  public var pixelFormat: String
  /// The width of a pixel divided by its height; 1 if the file does not state it.
  public var pixelAspectRatio: RationalTime
  /// The clean aperture in coded pixels, if the file declares one.
  public var cleanAperture: PixelRect?
  /// The rotation and mirroring of the file's display matrix.
  public var orientation: Orientation
  /// Color primaries, transfer, matrix and range as FFmpeg names them (`bt709`, `tv`); `nil` if unknown.
  public var color: ColorTags
  /// The field order's name: `progressive`, `tt`, `bb`, `tb`, `bt` or `unknown`.
  public var fieldOrder: String
  /// The nominal frame rate in frames per second, as declared by the file or else derived from the frames.
  public var nominalFrameRate: RationalTime?
  /// The codec's out-of-band parameter sets (extradata), as in the container.
  public var parameterSets: [UInt8]
  /// All presented frames in presentation order.
  public var frames: FrameTable
  /// The first part of a recording that a project follows; `nil` for other streams.
  public var opening: Opening?
  /// The stream's HDR metadata.
  public var hdr: HDRMetadata?
  /// The points at which copied ranges of its packets can start and end; `nil` if packets cannot be copied.
  public var copying: CopyPoints?
  /// The x264 build in the stream's first packet, which decoders use to work around bugs in old builds.
  public var x264Build: Int?
  /// The parts that are damaged according to their packets, without decoding; `nil` if there are none.
  public var damage: [DamagedRange]?
  /// The reason why the stream cannot be decoded, e.g. `is encrypted (encv)`; `nil` if it can.
  public var unreadable: String?

  /// The first part of a recording that may grow. Its facts decide how a project that follows the recording is rendered,
  /// so that what is recorded later changes nothing that is finished.
  public struct Opening: Hashable, Codable, Sendable {
    /// The number of frames.
    public var frameCount: Int
    /// The highest bit rate within any second, in bits per second.
    public var peakBitRate: Int?
    /// The ids of the parameter sets.
    public var parameterSetIDs: [Int]

    /// Creates a part.
    public init(frameCount: Int, peakBitRate: Int?, parameterSetIDs: [Int]) {
      self.frameCount = frameCount
      self.peakBitRate = peakBitRate
      self.parameterSetIDs = parameterSetIDs
    }
  }

  /// Creates a stream.
  public init(
    streamIndex: Int, codec: String, timeBase: RationalTime, size: PixelSize, pixelFormat: String,
    pixelAspectRatio: RationalTime, cleanAperture: PixelRect?, orientation: Orientation,
    color: ColorTags, fieldOrder: String, nominalFrameRate: RationalTime?,
    parameterSets: [UInt8], frames: FrameTable, hdr: HDRMetadata? = nil,
    copying: CopyPoints? = nil, x264Build: Int? = nil
  ) {
    self.streamIndex = streamIndex
    self.codec = codec
    self.timeBase = timeBase
    self.size = size
    self.pixelFormat = pixelFormat
    self.pixelAspectRatio = pixelAspectRatio
    self.cleanAperture = cleanAperture
    self.orientation = orientation
    self.color = color
    self.fieldOrder = fieldOrder
    self.nominalFrameRate = nominalFrameRate
    self.parameterSets = parameterSets
    self.frames = frames
    self.hdr = hdr
    self.copying = copying
    self.x264Build = x264Build
  }
}
