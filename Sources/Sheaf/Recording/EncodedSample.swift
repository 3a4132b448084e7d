import Recording
import Timeline

/// An encoded sample of a track: a picture, or a packet of sound.
public struct EncodedSample: Sendable {
  /// The encoded bytes.
  public var bytes: [UInt8]
  /// When the sample is presented, in seconds of the source's clock, which need not start at zero.
  public var presentationTime: RationalTime
  /// When the sample is decoded, in seconds of the source's clock.
  public var decodingTime: RationalTime
  /// The length in seconds; zero if unknown.
  public var duration: RationalTime
  /// Whether decoding can start here. Every sample of sound is a sync sample.
  public var isSync: Bool
  /// Whether some of its bytes were lost.
  public var isDamaged: Bool
  /// Whether samples between it and the previous one of its track may have been lost.
  public var followsLoss: Bool

  /// Creates a sample.
  ///
  /// - Parameter decodingTime: `nil` if the sample is decoded when it is presented.
  public init(
    bytes: [UInt8], presentationTime: RationalTime, decodingTime: RationalTime? = nil,
    duration: RationalTime = .zero, isSync: Bool = true, isDamaged: Bool = false,
    followsLoss: Bool = false
  ) {
    self.bytes = bytes
    self.presentationTime = presentationTime
    self.decodingTime = decodingTime ?? presentationTime
    self.duration = duration
    self.isSync = isSync
    self.isDamaged = isDamaged
    self.followsLoss = followsLoss
  }

  var facts: SampleFacts {
    SampleFacts(
      presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
      isSync: isSync, isDamaged: isDamaged, followsLoss: followsLoss, byteCount: bytes.count)
  }
}
