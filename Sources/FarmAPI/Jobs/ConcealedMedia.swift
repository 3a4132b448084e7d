import Timeline

/// A part of a job's file that shows or plays concealed damage, because its project allows that.
public struct ConcealedMedia: Hashable, Codable, Sendable {
  /// The asset's name in the project.
  public var asset: String
  /// The time of the first damaged frame, or of the damaged sound, in seconds of the asset as a
  /// project counts them: 0 is the asset's first instant.
  public var time: Double
  /// The first output frame that shows it; `nil` for sound.
  public var firstFrame: Int?
  /// The number of output frames that show it; `nil` for sound.
  public var frameCount: Int?
  /// The length of the silence in seconds; `nil` for pictures.
  public var duration: Double?

  /// Creates a part.
  public init(
    asset: String, time: Double, firstFrame: Int? = nil, frameCount: Int? = nil,
    duration: Double? = nil
  ) {
    self.asset = asset
    self.time = time
    self.firstFrame = firstFrame
    self.frameCount = frameCount
    self.duration = duration
  }
}
