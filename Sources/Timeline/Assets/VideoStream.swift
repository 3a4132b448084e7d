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

/// A size in whole pixels.
public struct PixelSize: Hashable, Codable, Sendable {
  /// The width.
  public var width: Int
  /// The height.
  public var height: Int

  /// Creates a size from its sides, in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A rectangle in pixels, origin top-left, y down.
public struct PixelRect: Hashable, Codable, Sendable {
  /// The left edge.
  public var x: Double
  /// The top edge.
  public var y: Double
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double

  /// Creates a rectangle from its top-left corner and sides, in pixels.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// One of the eight display matrices that map pixels onto pixels: optional mirroring, then clockwise quarter turns.
public struct Orientation: Hashable, Codable, Sendable {
  /// Clockwise quarter turns, 0 to 3, applied after mirroring.
  public var quarterTurns: Int
  /// Whether the picture is mirrored horizontally before it is rotated.
  public var isMirrored: Bool

  /// The picture as it is stored.
  public static let identity = Orientation(quarterTurns: 0, isMirrored: false)

  /// Creates an orientation from clockwise quarter turns (modulo 4) after optional mirroring.
  public init(quarterTurns: Int, isMirrored: Bool) {
    self.quarterTurns = ((quarterTurns % 4) + 4) % 4
    self.isMirrored = isMirrored
  }

  /// Whether the rotation swaps width and height.
  public var swapsSides: Bool { quarterTurns % 2 == 1 }
}

/// Color tags by FFmpeg's names; `nil` if the file does not state them.
public struct ColorTags: Hashable, Codable, Sendable {
  /// The color primaries, e.g. `bt709`.
  public var primaries: String?
  /// The transfer function, e.g. `bt709`, `smpte2084`.
  public var transfer: String?
  /// The matrix, e.g. `bt709`, `smpte170m`.
  public var matrix: String?
  /// The range: `tv` (limited) or `pc` (full).
  public var range: String?

  /// Creates tags from names.
  public init(primaries: String?, transfer: String?, matrix: String?, range: String?) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.range = range
  }
}

extension PixelSize: CustomStringConvertible {
  /// `width×height`.
  public var description: String { "\(width)×\(height)" }
}
