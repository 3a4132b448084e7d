extension VideoSettings {
  /// The part of the output's pictures that is meant to be seen, in pixels: AVFoundation's `AVVideoCleanApertureKey`.
  /// It is only stored as metadata of the file; no pixels change.
  public struct CleanAperture: Hashable, Codable, Sendable {
    /// The width, greater than 0.
    public var width: RationalTime
    /// The height, greater than 0.
    public var height: RationalTime
    /// The distance of its center to the right of the pictures' center.
    public var horizontalOffset: RationalTime
    /// The distance of its center below the pictures' center.
    public var verticalOffset: RationalTime

    /// Creates an aperture from its sides and offsets, in pixels.
    public init(
      width: RationalTime, height: RationalTime, horizontalOffset: RationalTime = .zero,
      verticalOffset: RationalTime = .zero
    ) {
      self.width = width
      self.height = height
      self.horizontalOffset = horizontalOffset
      self.verticalOffset = verticalOffset
    }

    /// The rectangle of the aperture in pictures of the given size.
    public func rectangle(in size: PixelSize) -> PixelRect {
      let (width, height) = (width.seconds, height.seconds)
      return PixelRect(
        x: (Double(size.width) - width) / 2 + horizontalOffset.seconds,
        y: (Double(size.height) - height) / 2 + verticalOffset.seconds, width: width,
        height: height)
    }
  }
}

extension VideoSettings.CleanAperture: CustomStringConvertible {
  /// The sides, and the offsets unless they are 0.
  public var description: String {
    guard horizontalOffset != .zero || verticalOffset != .zero else { return "\(width)×\(height)" }
    return "\(width)×\(height) at \(horizontalOffset), \(verticalOffset)"
  }
}
