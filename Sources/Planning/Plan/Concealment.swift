import Crypto
import Timeline

/// Output that shows or plays concealed damage, because the project allows that (``DamagePolicy/conceal``).
public struct Concealment: Hashable, Codable, Sendable {
  /// The asset's SHA-256.
  public var asset: Digest
  /// The time of the first damaged frame, or of the damaged sound, in seconds from the asset's first instant.
  public var time: RationalTime
  /// The output frames that show it; `nil` for sound.
  public var frames: Range<Int>?
  /// The length of the sound in seconds; `nil` for pictures.
  public var duration: RationalTime?

  /// Creates a concealment.
  public init(
    asset: Digest, time: RationalTime, frames: Range<Int>? = nil, duration: RationalTime? = nil
  ) {
    self.asset = asset
    self.time = time
    self.frames = frames
    self.duration = duration
  }
}
