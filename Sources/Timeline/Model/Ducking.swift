/// How a track's sound gives way to that of others while they are heard.
///
/// Others are heard in each hundredth of a second in which the loudest channel of their sum has a level (root mean
/// square) of the threshold or more. The gain has fallen when they begin: it starts to by ``attack`` before. It falls and
/// rises evenly in decibels.
public struct Ducking: Hashable, Codable, Sendable {
  /// The gain beneath others: above 0, below 1.
  public var to: Double
  /// The level from which on others are heard, in decibels of full scale.
  public var threshold: Double
  /// The time in which the gain falls, in seconds.
  public var attack: RationalTime
  /// The time for which the gain stays low after the other sound has ended, in seconds.
  public var hold: RationalTime
  /// The time in which the gain rises again, in seconds.
  public var release: RationalTime
  /// The audio tracks to give way to; all that do not duck themselves where `nil`.
  public var under: [Int]?

  /// Creates ducking.
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
