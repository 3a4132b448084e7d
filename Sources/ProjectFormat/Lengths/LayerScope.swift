import Timeline

/// The sizes that the relative lengths of layers refer to: the frame, the safe area, and the font.
struct LayerScope: Hashable, Sendable {
  /// The part of the frame that percentages of positions and bounds refer to.
  ///
  /// The areas are those of SMPTE ST 2046-1: viewers see all of the action-safe area, and read text comfortably within
  /// the title-safe area.
  enum SafeArea: String, CaseIterable, Sendable {
    /// The whole frame.
    case none = "none"
    /// 93 % of the width and the height.
    case action = "action"
    /// 90 % of the width and the height.
    case title = "title"

    /// The fraction of the frame's width and height.
    var part: (numerator: Int64, denominator: Int64) {
      switch self {
      case .none: (1, 1)
      case .action: (93, 100)
      case .title: (9, 10)
      }
    }
  }

  /// How a percentage is measured, and what is rounded.
  enum Kind: Sendable {
    /// The horizontal coordinate of a point, measured from the left edge of the area.
    case x
    /// The vertical coordinate of a point, measured from the top edge of the area.
    case y
    /// A horizontal offset.
    case across
    /// A vertical offset.
    case down
    case width
    case height
    /// A length without a direction, which is not rounded.
    case even
  }

  /// The size of the frame, in pixels.
  var frame: PixelSize
  /// The area that percentages of positions and bounds refer to.
  var area: SafeArea = .none
  /// The font size of the layer; `nil` if the layer has no font, or its size is not known yet.
  var fontSize: Double?

  /// The frame to assume before the size of the output is known.
  static let assumedFrame = PixelSize(width: 1920, height: 1080)

  /// The scope of a frame whose size may be missing or invalid.
  init(frame: PixelSize?) {
    let isValid = frame?.findings(at: "").isEmpty ?? false
    self.frame = isValid ? frame ?? Self.assumedFrame : Self.assumedFrame
  }

  /// The number of pixels of a length. The sum of all terms but those of the font is exact. Positions and bounds are
  /// rounded to whole pixels, and sizes that are not 0 to at least one pixel, so that edges are sharp.
  ///
  /// - Returns: `nil` if the length needs a font size and there is none.
  /// - Throws: ``TimeError`` if the sum does not fit in a 64-bit fraction.
  func pixels(of length: LayerLength, _ kind: Kind) throws(TimeError) -> Double? {
    var sum = RationalTime.zero
    var fontSizes = RationalTime.zero
    for term in length.terms {
      switch term.unit {
      case .pixel: sum = try sum + term.factor
      case .percent: sum = try sum + term.factor * (try hundredth(kind))
      case .smallerSide: sum = try sum + term.factor * (try hundredth(.even))
      case .fontSize: fontSizes = try fontSizes + term.factor
      }
    }
    if length.uses(.percent) { sum = try sum + (try origin(kind)) }
    if length.uses(.fontSize) {
      guard let fontSize else { return nil }
      let pixels = sum.seconds + fontSizes.seconds * fontSize
      return kind == .even ? pixels : rounded((pixels + 0.5).rounded(.down), of: pixels, kind)
    }
    guard kind != .even else { return sum.seconds }
    return rounded(
      Double(try sum.ticks(of: RationalTime(1), rounding: .nearest)), of: sum.seconds, kind)
  }

  private func rounded(_ whole: Double, of pixels: Double, _ kind: Kind) -> Double {
    switch kind {
    case .width, .height: pixels > 0 ? max(whole, 1) : whole
    case .x, .y, .across, .down, .even: whole
    }
  }

  /// A hundredth of the length that percentages of a kind refer to.
  private func hundredth(_ kind: Kind) throws(TimeError) -> RationalTime {
    switch kind {
    case .x, .across, .width: try share(of: frame.width)
    case .y, .down, .height: try share(of: frame.height)
    case .even: try RationalTime(Int64(min(frame.width, frame.height)), 100)
    }
  }

  private func share(of side: Int) throws(TimeError) -> RationalTime {
    try RationalTime(Int64(side) * area.part.numerator, area.part.denominator * 100)
  }

  /// The distance of the area from the edge of the frame, for positions.
  private func origin(_ kind: Kind) throws(TimeError) -> RationalTime {
    let side: Int
    switch kind {
    case .x: side = frame.width
    case .y: side = frame.height
    default: return .zero
    }
    return try RationalTime(
      Int64(side) * (area.part.denominator - area.part.numerator), area.part.denominator * 2)
  }
}
