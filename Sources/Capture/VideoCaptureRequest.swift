/// The requested format of pictures.
public struct VideoCaptureRequest: Hashable, Sendable {
  /// The width in pixels; `nil` for the device's current one, or for one that keeps its aspect ratio if a height is given.
  public var width: Int?
  /// The height in pixels; `nil` as for the width.
  public var height: Int?
  /// The maximum frame rate; `nil` for 60 frames per second.
  public var framesPerSecond: Fraction?
  /// The coding, if the device offers it; `nil` for any.
  public var coding: CapturedVideoFormat.Coding?

  /// Creates a request.
  public init(
    width: Int? = nil, height: Int? = nil, framesPerSecond: Fraction? = nil,
    coding: CapturedVideoFormat.Coding? = nil
  ) {
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.coding = coding
  }
}
