import Timeline

/// Everything about an encoded sample that decides what happens to it: all but its bytes.
public struct SampleFacts: Hashable, Sendable {
  /// When the sample is presented, in seconds of the source's clock.
  public var presentationTime: RationalTime
  /// When the sample is decoded, in seconds of the source's clock. It increases from sample to sample of a track.
  public var decodingTime: RationalTime
  /// The length in seconds; zero if unknown.
  public var duration: RationalTime
  /// Whether decoding can start here: a keyframe whose parameter sets are known, or any sample of sound.
  public var isSync: Bool
  /// Whether bytes of the sample were lost.
  public var isDamaged: Bool
  /// Whether samples between it and the one before it on its track may have been lost.
  public var followsLoss: Bool
  /// The number of bytes.
  public var byteCount: Int

  /// Creates the facts of a sample.
  public init(
    presentationTime: RationalTime, decodingTime: RationalTime, duration: RationalTime,
    isSync: Bool, isDamaged: Bool = false, followsLoss: Bool = false, byteCount: Int
  ) {
    self.presentationTime = presentationTime
    self.decodingTime = decodingTime
    self.duration = duration
    self.isSync = isSync
    self.isDamaged = isDamaged
    self.followsLoss = followsLoss
    self.byteCount = byteCount
  }

  /// When the presentation ends, in seconds; its start if the sum has no exact value.
  var end: RationalTime { (try? presentationTime + duration) ?? presentationTime }
}
