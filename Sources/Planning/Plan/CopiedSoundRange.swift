/// A range of a mix in which one input is heard alone and unchanged, so that packets of its source can be copied.
public struct CopiedSoundRange: Hashable, Codable, Sendable {
  /// The index of the stream in ``MixDescription/sources``.
  public var source: Int
  /// The first sample of the source, counted from the asset's time zero.
  public var sourceSample: Int64
  /// The first sample of the mix.
  public var targetSample: Int64
  /// The number of samples.
  public var sampleCount: Int64

  /// Samples of the source are counted at the rate of the mix, which is also that of the source.
  public init(source: Int, sourceSample: Int64, targetSample: Int64, sampleCount: Int64) {
    self.source = source
    self.sourceSample = sourceSample
    self.targetSample = targetSample
    self.sampleCount = sampleCount
  }

  /// The sample of the mix after the range.
  public var end: Int64 { targetSample + sampleCount }
}
