/// Lowers the gain of a track while other tracks are audible.
///
/// Other tracks are audible in each hundredth of a second in which the loudest channel of their sum reaches the
/// threshold (as a root mean square). The gain starts to fall ``attack`` before that, so that it is low when they
/// start. It falls and rises linearly in decibels.
public struct Ducking: Hashable, Codable, Sendable {
  /// The gain while others are audible: greater than 0 and less than 1.
  public var to: Double
  /// The level at which others count as audible, in decibels relative to full scale.
  public var threshold: Double
  /// The time over which the gain falls, in seconds.
  public var attack: RationalTime
  /// The time for which the gain stays low after the others have ended, in seconds.
  public var hold: RationalTime
  /// The time over which the gain rises again, in seconds.
  public var release: RationalTime
  /// The audio tracks to duck under. `nil` means all tracks that are not ducked themselves.
  public var under: [Int]?

  /// Creates ducking parameters.
  public init(
    to: Double = 0.25, threshold: Double = -40, attack: RationalTime? = nil,
    hold: RationalTime? = nil, release: RationalTime = RationalTime(1), under: [Int]? = nil
  ) {
    self.to = to
    self.threshold = threshold
    self.attack = attack ?? .reciprocal(5)
    self.hold = hold ?? .reciprocal(2)
    self.release = release
    self.under = under
  }
}
