/// How the video tracks are put together into output frames.
public struct VideoComposition: Hashable, Encodable, Sendable {
  /// The output's size in pixels.
  public var renderSize: PixelSize
  /// The factor from the render size to the output's size. Transforms are in units of the render size.
  public var renderScale: Double
  /// The length of one output frame, in seconds.
  public var frameDuration: RationalTime
  /// The instructions, contiguous, from 0 to the end.
  public var instructions: [Instruction]
  /// Layers over the video, or as a track of their own.
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

/// The layers that are shown during a time range.
public struct Instruction: Hashable, Sendable {
  /// When the instruction is in force.
  public var timeRange: TimeRange
  /// The color where no layer is shown.
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

/// How one track takes part in an instruction.
public struct LayerInstruction: Hashable, Sendable {
  /// The video track's id.
  public var track: Int
  /// 0 (clear) to 1 (opaque); 1 by default.
  public var opacity: Ramps<Double>
  /// Display size of the source (after pixel aspect ratio) to the render size; identity by default.
  public var transform: Ramps<AffineTransform>
  /// The part of the source that shows, in its square-pixel clean-aperture space; all by default.
  public var crop: Ramps<PixelRect>
  /// The backdrop beneath the picture; none by default.
  public var backdrop: Backdrop?
  /// The mask of the layer over the output's frame; none by default.
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

/// An opaque color in sRGB, 0 to 255 a component.
public struct Color: Hashable, Codable, Sendable {
  /// Red.
  public var red: UInt8
  /// Green.
  public var green: UInt8
  /// Blue.
  public var blue: UInt8

  /// No light.
  public static let black = Color(red: 0, green: 0, blue: 0)

  /// A color from its components.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }
}
