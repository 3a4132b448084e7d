/// The peaks of a job's sound, for drawing it.
public struct Waveform: Hashable, Codable, Sendable {
  /// The maximum number of peaks.
  public static let peakLimit = 2000

  /// The number of samples per channel that each peak is the largest of; the last one may have fewer.
  public var samplesPerPoint: Int
  /// Samples per second.
  public var sampleRate: Int
  /// The largest magnitude of the samples in any channel, from 0 to 255 (full scale).
  public var peaks: [UInt8]

  /// Creates a waveform.
  public init(samplesPerPoint: Int, sampleRate: Int, peaks: [UInt8]) {
    self.samplesPerPoint = samplesPerPoint
    self.sampleRate = sampleRate
    self.peaks = peaks
  }
}
