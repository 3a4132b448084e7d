/// An animation of one property of a layer, like Core Animation's basic and keyframe animations.
public struct LayerAnimation: Hashable, Sendable {
  /// The animated property.
  public enum Property: String, Hashable, Codable, Sendable, CaseIterable {
    /// ``AnimationLayer/position``
    case position = "position"
    /// ``AnimationLayer/scale``
    case scale = "scale"
    /// ``AnimationLayer/rotation``
    case rotation = "rotation"
    /// ``AnimationLayer/opacity``
    case opacity = "opacity"
    /// ``AnimationLayer/bounds``. Images and text follow according to their ``ContentsGravity``. The corner radius of a
    /// rectangle is constant.
    case bounds = "bounds"
    /// The color of the content, if it has a single color.
    case color = "color"
  }

  /// The behavior of the property before and after the animation.
  public enum FillMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// The layer's own value before and after the animation.
    case removed = "removed"
    /// The last value after the animation.
    case forwards = "forwards"
    /// The first value before the animation.
    case backwards = "backwards"
    /// The first value before the animation and the last value after it.
    case both = "both"
  }

  /// The animated property.
  public var property: Property
  /// The values: two for a basic animation, one or more for a keyframe animation.
  public var values: [LayerValue]
  /// The time of each value, as a fraction of the duration from 0 to 1. `nil` means evenly spaced. A discrete animation
  /// has one more key time than values, which is 1.
  public var keyTimes: [Double]?
  /// The progress between each pair of adjacent values. `nil` means linear.
  public var timingFunctions: [TimingFunction]?
  /// Whether the value changes in steps.
  public var isDiscrete: Bool
  /// The progress over the duration.
  public var timingFunction: TimingFunction
  /// The start, in seconds of the composition.
  public var beginTime: RationalTime
  /// The duration of one repetition, in seconds.
  public var duration: RationalTime
  /// The number of repetitions; `infinity` repeats forever.
  public var repeatCount: Double
  /// Whether each repetition also runs in reverse, which doubles its duration.
  public var autoreverses: Bool
  /// The behavior before and after the animation.
  public var fillMode: FillMode

  /// Creates an animation.
  public init(
    _ property: Property, values: [LayerValue], keyTimes: [Double]? = nil,
    timingFunctions: [TimingFunction]? = nil, isDiscrete: Bool = false,
    timingFunction: TimingFunction = .linear, beginTime: RationalTime = .zero,
    duration: RationalTime, repeatCount: Double = 1, autoreverses: Bool = false,
    fillMode: FillMode = .removed
  ) {
    self.property = property
    self.values = values
    self.keyTimes = keyTimes
    self.timingFunctions = timingFunctions
    self.isDiscrete = isDiscrete
    self.timingFunction = timingFunction
    self.beginTime = beginTime
    self.duration = duration
    self.repeatCount = repeatCount
    self.autoreverses = autoreverses
    self.fillMode = fillMode
  }
}

/// A value of an animated property.
public enum LayerValue: Hashable, Sendable {
  /// A rotation in degrees, or an opacity.
  case number(Double)
  /// A position or a scale.
  case point(LayerPoint)
  /// Bounds.
  case rect(PixelRect)
  /// A color.
  case color(BlendedColor)

  /// The value `fraction` of the way to another value of the same case. If the cases differ, it is the other value.
  public func interpolated(to end: LayerValue, fraction: Double) -> LayerValue {
    switch (self, end) {
    case (.number(let from), .number(let to)):
      .number(from.interpolated(to: to, fraction: fraction))
    case (.point(let from), .point(let to)):
      .point(from.interpolated(to: to, fraction: fraction))
    case (.rect(let from), .rect(let to)):
      .rect(from.interpolated(to: to, fraction: fraction))
    case (.color(let from), .color(let to)):
      .color(from.interpolated(to: to, fraction: fraction))
    default: end
    }
  }
}

/// An sRGB color with fractional components, from 0 to 255.
public struct BlendedColor: Hashable, Codable, Sendable, Interpolatable {
  /// Red.
  public var red: Double
  /// Green.
  public var green: Double
  /// Blue.
  public var blue: Double

  /// Creates a color from an 8-bit color.
  public init(_ color: Color) {
    (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
  }

  private init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// The nearest 8-bit color.
  public var rounded: Color {
    func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
    return Color(red: byte(red), green: byte(green), blue: byte(blue))
  }

  /// Interpolates each component linearly.
  public func interpolated(to end: BlendedColor, fraction: Double) -> BlendedColor {
    BlendedColor(
      red: red.interpolated(to: end.red, fraction: fraction),
      green: green.interpolated(to: end.green, fraction: fraction),
      blue: blue.interpolated(to: end.blue, fraction: fraction))
  }
}
