import Crypto
import Timeline

/// Everything that a worker needs to render one segment, and nothing that depends on which worker it is.
///
/// All of it goes into the content key: equal descriptions give equal bytes on equal fingerprints.
public struct SegmentDescription: Hashable, Codable, Sendable {
  /// The first output frame.
  public var first: Int
  /// The first output frame after the segment.
  public var end: Int
  /// The length of one output frame, in seconds.
  public var frameDuration: RationalTime
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// How the chunk is encoded.
  public var video: VideoSettings
  /// The source streams that the layers show.
  public var sources: [SourceStream]
  /// What is on show, contiguous, from ``first`` to ``end``.
  public var slices: [InstructionSlice]
  /// What the layers are composited in; `nil` for 8 bits in standard dynamic range, by the render size.
  public var workingFormat: WorkingFormat?

  /// A segment from its parts.
  public init(
    first: Int, end: Int, frameDuration: RationalTime, renderSize: PixelSize,
    video: VideoSettings, sources: [SourceStream], slices: [InstructionSlice],
    workingFormat: WorkingFormat? = nil
  ) {
    self.first = first
    self.end = end
    self.frameDuration = frameDuration
    self.renderSize = renderSize
    self.video = video
    self.sources = sources
    self.slices = slices
    self.workingFormat = workingFormat
  }

  /// The number of output frames.
  public var frameCount: Int { end - first }
}

/// A video stream of an asset, with as much of its index as a segment needs.
public struct SourceStream: Hashable, Codable, Sendable {
  /// The asset's SHA-256.
  public var asset: Digest
  /// The asset's name in the project, for messages.
  public var name: String
  /// The stream; its frame table holds the keyframes and frames that the segment needs, no more.
  public var stream: VideoStream
  /// Whether the asset is a still image.
  public var isStillImage: Bool

  /// A source from its parts.
  public init(asset: Digest, name: String, stream: VideoStream, isStillImage: Bool) {
    self.asset = asset
    self.name = name
    self.stream = stream
    self.isStillImage = isStillImage
  }
}

/// A run of output frames over which the same layers show the same track segments.
public struct InstructionSlice: Hashable, Codable, Sendable {
  /// The first output frame.
  public var first: Int
  /// The first output frame after the slice.
  public var end: Int
  /// What shows where no layer does.
  public var backgroundColor: Colour
  /// The layers, topmost first.
  public var layers: [LayerSlice]

  /// A slice from its parts.
  public init(first: Int, end: Int, backgroundColor: Colour, layers: [LayerSlice]) {
    self.first = first
    self.end = end
    self.backgroundColor = backgroundColor
    self.layers = layers
  }
}

/// One layer of a slice: which source frame each output frame shows, and how.
public struct LayerSlice: Hashable, Codable, Sendable {
  /// The index of the stream in ``SegmentDescription/sources``.
  public var source: Int
  /// The source frames in order of output frames; their counts add up to the slice's length.
  public var frames: [FrameRun]
  /// The opacity over output time, 1 by default.
  public var opacity: Ramps<Double>
  /// The transform over output time, from display size to render size, identity by default.
  public var transform: Ramps<AffineTransform>
  /// The crop over output time, in the source's square-pixel clean-aperture space; everything by default.
  public var crop: Ramps<PixelRect>
  /// What the picture lies on; `nil` for nothing.
  public var backdrop: Backdrop?
  /// What of the frame the layer shows through; `nil` for everything.
  public var mask: MaskSlice?

  /// A layer from its parts.
  public init(
    source: Int, frames: [FrameRun], opacity: Ramps<Double>,
    transform: Ramps<AffineTransform>, crop: Ramps<PixelRect>, backdrop: Backdrop? = nil,
    mask: MaskSlice? = nil
  ) {
    self.source = source
    self.frames = frames
    self.opacity = opacity
    self.transform = transform
    self.crop = crop
    self.backdrop = backdrop
    self.mask = mask
  }
}

/// Output frames in a row whose source times are evenly spaced.
public struct FrameRun: Hashable, Codable, Sendable {
  /// The source frame of the first output frame, in ticks of the stream's time base.
  public var time: Int64
  /// How much later each further output frame's source frame is, in ticks; 0 holds one frame.
  public var step: Int64
  /// How many output frames.
  public var count: Int

  /// A run from its parts.
  public init(time: Int64, step: Int64, count: Int) {
    self.time = time
    self.step = step
    self.count = count
  }
}
