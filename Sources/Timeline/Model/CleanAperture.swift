extension VideoSettings {
  /// The part of the output's pictures that is meant to be seen, in their pixels: AVFoundation's
  /// `AVVideoCleanApertureKey`. The file is tagged with it; no pixel changes.
  public struct CleanAperture: Hashable, Codable, Sendable {
    /// Columns, above 0.
    public var width: RationalTime
    /// Rows, above 0.
    public var height: RationalTime
    /// How far its centre lies to the right of the pictures'.
    public var horizontalOffset: RationalTime
    /// How far its centre lies below the pictures'.
    public var verticalOffset: RationalTime

    /// An aperture from its parts, in pixels.
    public init(
      width: RationalTime, height: RationalTime, horizontalOffset: RationalTime = .zero,
      verticalOffset: RationalTime = .zero
    ) {
      self.width = width
      self.height = height
      self.horizontalOffset = horizontalOffset
      self.verticalOffset = verticalOffset
    }

    /// Its rectangle in pictures of the given size.
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
  /// Its sides, and its offsets where there are any.
  public var description: String {
    guard horizontalOffset != .zero || verticalOffset != .zero else { return "\(width)×\(height)" }
    return "\(width)×\(height) at \(horizontalOffset), \(verticalOffset)"
  }
}
