import Timeline

/// How players show the pictures of a file: with square pixels, and upright.
public struct PictureDisplay: Hashable, Codable, Sendable {
  /// The size of the shown picture in pixels.
  public var size: PixelSize
  /// How the stored picture is mirrored and rotated.
  public var orientation: Orientation

  /// Creates a display.
  public init(size: PixelSize, orientation: Orientation = .identity) {
    self.size = size
    self.orientation = orientation
  }

  /// The size before the picture is rotated.
  public var storedSize: PixelSize {
    orientation.swapsSides ? PixelSize(width: size.height, height: size.width) : size
  }
}

extension Plan {
  /// How players show the file's pictures. Only copied pictures may have to be rotated.
  public var display: PictureDisplay {
    let ratio = carried?.pixelAspectRatio ?? export.video.pixelAspectRatio ?? RationalTime(1)
    let width = max((Double(renderSize.width) * ratio.seconds).rounded(), 1)
    var display = PictureDisplay(
      size: PixelSize(width: Int(width), height: renderSize.height),
      orientation: carried?.orientation ?? .identity)
    display.size = display.storedSize
    return display
  }
}
