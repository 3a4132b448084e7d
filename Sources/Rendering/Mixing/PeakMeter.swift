import Planning

/// Measures the peaks of sound while it is mixed.
struct PeakMeter {
  private let samplesPerPoint: Int
  private let sampleRate: Int
  private var peaks: [UInt8] = []
  private var peak: Float = 0
  /// The number of samples that ``peak`` is the largest of.
  private var count = 0

  /// Creates a meter for a mix of a length.
  init(sampleCount: Int64, sampleRate: Int) {
    let limit = Int64(Waveform.peakLimit)
    samplesPerPoint = Int(max(1, (sampleCount + limit - 1) / limit))
    self.sampleRate = sampleRate
  }

  /// Adds a block: per channel, samples from −1 to 1.
  mutating func add(_ block: [[Float]]) {
    let length = block.first?.count ?? 0
    var start = 0
    while start < length {
      let end = min(start + samplesPerPoint - count, length)
      for channel in block {
        for sample in channel[start..<end] { peak = max(peak, abs(sample)) }
      }
      count += end - start
      start = end
      if count == samplesPerPoint { finishPoint() }
    }
  }

  /// The peaks of everything that was added; `nil` if there was nothing.
  mutating func finish() -> Waveform? {
    if count > 0 { finishPoint() }
    guard !peaks.isEmpty else { return nil }
    return Waveform(
      samplesPerPoint: samplesPerPoint, sampleRate: sampleRate,
      peaks: Array(peaks.prefix(Waveform.peakLimit)))
  }

  private mutating func finishPoint() {
    peaks.append(UInt8((min(peak, 1) * 255).rounded()))
    (peak, count) = (0, 0)
  }
}
