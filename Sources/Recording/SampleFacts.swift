import Timeline

/// The properties of an encoded sample, without its bytes. They decide whether it is recorded.
public struct SampleFacts: Hashable, Sendable {
  /// When the sample is presented, in seconds of the source's clock.
  public var presentationTime: RationalTime
  /// When the sample is decoded, in seconds of the source's clock. It increases from sample to sample of a track.
  public var decodingTime: RationalTime
  /// The length in seconds; zero if unknown.
  public var duration: RationalTime
  /// Whether decoding can start here: a keyframe whose parameter sets are known, or any sample of sound.
  public var isSync: Bool
  /// Whether some of its bytes were lost.
  public var isDamaged: Bool
  /// Whether samples between it and the previous one of its track may have been lost.
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

  /// The end of the presentation, in seconds; its start if the sum overflows.
  var end: RationalTime { (try? presentationTime + duration) ?? presentationTime }
}
