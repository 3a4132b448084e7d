/// The composition of video tracks into output frames.
public struct VideoComposition: Hashable, Encodable, Sendable {
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// The factor from the render size to the output's size. Transforms refer to the render size.
  public var renderScale: Double
  /// The frame duration of the output, in seconds.
  public var frameDuration: RationalTime
  /// The instructions, which cover the composition from 0 to its end without gaps.
  public var instructions: [Instruction]
  /// Animation layers, over the video or as a track of their own.
  public var animation: Animation?

  /// Creates a video composition.
  public init(
    renderSize: PixelSize, renderScale: Double = 1, frameDuration: RationalTime,
    instructions: [Instruction], animation: Animation? = nil
  ) {
    self.renderSize = renderSize
    self.renderScale = renderScale
    self.frameDuration = frameDuration
    self.instructions = instructions
    self.animation = animation
  }
}

/// The layers to show during a time range.
public struct Instruction: Hashable, Sendable {
  /// The time range of the instruction.
  public var timeRange: TimeRange
  /// The color of areas that no layer covers.
  public var backgroundColor: Color
  /// Whether animation layers are drawn over this range.
  public var enablePostProcessing: Bool
  /// The layers, topmost first.
  public var layers: [LayerInstruction]

  /// Creates an instruction.
  public init(
    timeRange: TimeRange, backgroundColor: Color = .black, enablePostProcessing: Bool = true,
    layers: [LayerInstruction]
  ) {
    self.timeRange = timeRange
    self.backgroundColor = backgroundColor
    self.enablePostProcessing = enablePostProcessing
    self.layers = layers
  }
}

/// The contribution of one track to an instruction.
public struct LayerInstruction: Hashable, Sendable {
  /// The video track's id.
  public var track: Int
  /// The opacity, from 0 (transparent) to 1 (opaque, the default).
  public var opacity: Ramps<Double>
  /// The transform from the display size of the source (after pixel aspect ratio) to the render size. The default is
  /// the identity.
  public var transform: Ramps<AffineTransform>
  /// The visible part of the source, in its square-pixel clean-aperture space. The default is all of it.
  public var crop: Ramps<PixelRect>
  /// The backdrop beneath the picture.
  public var backdrop: Backdrop?
  /// The mask of the layer over the output's frame.
  public var mask: Mask?

  /// Creates a layer.
  public init(
    track: Int, opacity: Ramps<Double> = Ramps(), transform: Ramps<AffineTransform> = Ramps(),
    crop: Ramps<PixelRect> = Ramps(), backdrop: Backdrop? = nil,
    mask: Mask? = nil
  ) {
    self.track = track
    self.opacity = opacity
    self.transform = transform
    self.crop = crop
    self.backdrop = backdrop
    self.mask = mask
  }
}
