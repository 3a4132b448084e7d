/// A change of one property of a layer over time, as Core Animation's basic and keyframe animations make it.
public struct LayerAnimation: Hashable, Sendable {
  /// The animated property.
  public enum Property: String, Hashable, Codable, Sendable, CaseIterable {
    /// ``AnimationLayer/position``
    case position
    /// ``AnimationLayer/scale``
    case scale
    /// ``AnimationLayer/rotation``
    case rotation
    /// ``AnimationLayer/opacity``
    case opacity
    /// ``AnimationLayer/bounds``; images and text follow by their ``ContentsGravity``, and a rectangle's corners keep
    /// their size.
    case bounds
    /// The content's one color.
    case color
  }

  /// How the property behaves before the animation starts and after it has ended.
  public enum FillMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// The layer's own value, before and after.
    case removed
    /// Afterwards the last value.
    case forwards
    /// Before it the first value.
    case backwards
    /// Before it the first value, and afterwards the last.
    case both
  }

  /// The animated property.
  public var property: Property
  /// The values that it goes through: two of a basic animation, one or more of a keyframe animation.
  public var values: [LayerValue]
  /// When each value is reached, as parts of the duration from 0 to 1; evenly spread where `nil`. A discrete animation
  /// may have one more than values, which is 1.
  public var keyTimes: [Double]?
  /// How fast each stretch between two values is gone through; linear where `nil`.
  public var timingFunctions: [TimingFunction]?
  /// Whether it goes from value to value in steps.
  public var isDiscrete: Bool
  /// How fast the duration is gone through.
  public var timingFunction: TimingFunction
  /// When it begins, in seconds of the composition.
  public var beginTime: RationalTime
  /// The duration of one repetition, in seconds.
  public var duration: RationalTime
  /// The number of repetitions; `infinity` repeats forever.
  public var repeatCount: Double
  /// Whether each time it also goes back again, which takes as long.
  public var autoreverses: Bool
  /// The behaviour before and after the animation.
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

/// A value of a property of a layer.
public enum LayerValue: Hashable, Sendable {
  /// Of rotation, in degrees, and of opacity.
  case number(Double)
  /// Of position, and of scale.
  case point(LayerPoint)
  /// Of bounds.
  case rect(PixelRect)
  /// Of color.
  case color(BlendedColor)

  /// The value `fraction` of the way to another of the same case; the other one where the cases differ.
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

/// An sRGB color between those that eight bits can hold, 0 to 255 a component.
public struct BlendedColor: Hashable, Codable, Sendable, Interpolatable {
  /// Red.
  public var red: Double
  /// Green.
  public var green: Double
  /// Blue.
  public var blue: Double

  /// A color of eight bits.
  public init(_ color: Color) {
    (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
  }

  private init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// The nearest color of eight bits.
  public var rounded: Color {
    func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
    return Color(red: byte(red), green: byte(green), blue: byte(blue))
  }

  /// Each component on its own linear path.
  public func interpolated(to end: BlendedColor, fraction: Double) -> BlendedColor {
    BlendedColor(
      red: red.interpolated(to: end.red, fraction: fraction),
      green: green.interpolated(to: end.green, fraction: fraction),
      blue: blue.interpolated(to: end.blue, fraction: fraction))
  }
}
