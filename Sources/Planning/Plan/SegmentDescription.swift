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
  /// The slices that are shown, contiguous, from ``first`` to ``end``.
  public var slices: [InstructionSlice]
  /// The format that the layers are composited in; `nil` for 8 bits in standard dynamic range, according to the render
  /// size.
  public var workingFormat: WorkingFormat?
  /// The packets that the chunk copies unchanged; `nil` if it is encoded.
  public var copy: CopiedPart?
  /// ``DamagePolicy/conceal`` if damaged frames are shown; `nil` if they are errors.
  public var onDamage: DamagePolicy?

  /// Creates a segment.
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

/// Frames that a segment copies from a source without encoding them: those that its slices show.
public struct CopiedPart: Hashable, Codable, Sendable {
  /// The index of the stream in ``SegmentDescription/sources``.
  public var source: Int
  /// The largest delay between decoding a packet and presenting it, in frames.
  public var delay: Int
  /// The references that a decoder of H.264 keeps before the first frame, relative to it, which is rewritten so that it
  /// resets the decoder (``CopyPoints/referenceStates``); `nil` if it resets the decoder itself.
  public var references: [Int]?
  /// Whether copied frames are also decoded, to find damage in their packets; `nil` means no.
  public var isVerified: Bool?
  /// Whether the chunk refers to the source for the packets that are the same there (`ReferenceTable`); `nil` means no.
  public var refersToSource: Bool?

  /// Creates a part.
  public init(
    source: Int, delay: Int, references: [Int]? = nil, isVerified: Bool? = nil,
    refersToSource: Bool? = nil
  ) {
    self.refersToSource = refersToSource
    self.source = source
    self.delay = delay
    self.references = references
    self.isVerified = isVerified
  }
}

/// A video stream of an asset, with the part of its index that a segment needs.
public struct SourceStream: Hashable, Codable, Sendable {
  /// The asset's SHA-256.
  public var asset: Digest
  /// The asset's name in the project, for messages.
  public var name: String
  /// The stream; its frame table contains only the keyframes and frames that the segment needs.
  public var stream: VideoStream
  /// Whether the asset is a still image.
  public var isStillImage: Bool
  /// The length in bytes of a picture that planning made, or of an excerpt of a recording; `nil` for an asset of the
  /// submission.
  public var byteCount: Int64?
  /// The asset's time zero on the container's clock, in seconds, from which times in messages count; `nil` means 0.
  public var start: RationalTime?

  /// Creates a source.
  public init(
    asset: Digest, name: String, stream: VideoStream, isStillImage: Bool, byteCount: Int64? = nil,
    start: RationalTime? = nil
  ) {
    self.byteCount = byteCount
    self.start = start
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
  /// The color where no layer is shown.
  public var backgroundColor: Color
  /// The layers, topmost first.
  public var layers: [LayerSlice]
  /// The layers over and around the picture; `nil` for none.
  public var overlay: OverlaySlice?

  /// Creates a slice.
  public init(
    first: Int, end: Int, backgroundColor: Color, layers: [LayerSlice],
    overlay: OverlaySlice? = nil
  ) {
    self.first = first
    self.end = end
    self.backgroundColor = backgroundColor
    self.layers = layers
    self.overlay = overlay
  }
}

/// Animation layers over and around the instruction's own picture.
public struct OverlaySlice: Hashable, Codable, Sendable {
  /// The layers, topmost first; one of them may be ``LayerSlice/compositedVideo``.
  public var layers: [LayerSlice]
  /// Whether the instruction's picture lies unchanged beneath all layers. If not, only the layers show it, on black.
  public var isOverVideo: Bool

  /// Creates an overlay.
  public init(layers: [LayerSlice], isOverVideo: Bool) {
    self.layers = layers
    self.isOverVideo = isOverVideo
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
  /// The backdrop beneath the picture; `nil` for none.
  public var backdrop: Backdrop?
  /// The mask of the layer; `nil` for none.
  public var mask: MaskSlice?
  /// Whether the picture is sampled at its exact position, with soft edges, so that it moves smoothly, like animation
  /// layers; `nil` means no.
  public var isSmooth: Bool?
  /// The rectangles that clip the layer; `nil` for none.
  public var clips: [LayerClip]?
  /// The color that replaces those of the picture, whose alpha stays; `nil` for none.
  public var tint: Ramps<BlendedColor>?
  /// The corners of the picture, which keep their size when the picture is stretched; `nil` if all of it is stretched
  /// evenly.
  public var corners: LayerCorners?
  /// The layers, topmost first, that are composited separately to make the picture; `nil` if a source provides it.
  ///
  /// Each sublayer has its own placement on the output. Of the layer that contains them, only the opacity applies.
  public var sublayers: [LayerSlice]?

  /// The ``source`` of an overlay's layer that shows the instruction's composited picture.
  public static let compositedVideo = -1
  /// The ``source`` of a layer that shows its ``sublayers``.
  public static let compositedGroup = -2

  /// The layers that show a picture, topmost first: this one, or those inside it.
  public var leaves: [LayerSlice] { sublayers?.flatMap(\.leaves) ?? [self] }

  /// Creates a layer.
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

/// The corners of a picture, which keep their size while the rest is stretched.
public struct LayerCorners: Hashable, Codable, Sendable {
  /// How far the corners reach from the picture's edges, in its pixels across and down.
  public var length: LayerPoint
  /// The factors by which the layer's transform stretches the picture's sides more than its corners, over output time.
  public var stretch: Ramps<LayerPoint>

  /// Creates corners.
  public init(length: LayerPoint, stretch: Ramps<LayerPoint>) {
    self.length = length
    self.stretch = stretch
  }
}

/// A rectangle that clips a layer, and its placement.
public struct LayerClip: Hashable, Codable, Sendable {
  /// The rectangle over output time.
  public var rect: Ramps<PixelRect>
  /// The rectangle's transform to the render size over output time.
  public var transform: Ramps<AffineTransform>

  /// Creates a clip.
  public init(rect: Ramps<PixelRect>, transform: Ramps<AffineTransform>) {
    self.rect = rect
    self.transform = transform
  }
}

/// Consecutive output frames with evenly spaced source times.
public struct FrameRun: Hashable, Codable, Sendable {
  /// The source frame of the first output frame, in ticks of the stream's time base.
  public var time: Int64
  /// The time from one output frame's source frame to the next one's, in ticks; 0 holds one frame.
  public var step: Int64
  /// The number of output frames.
  public var count: Int

  /// Creates a run.
  public init(time: Int64, step: Int64, count: Int) {
    self.time = time
    self.step = step
    self.count = count
  }
}
