import CEBUR128

/// Measures loudness and true peak by EBU R 128 and ITU-R BS.1770. Not thread-safe.
public final class LoudnessMeter {
  private let channels: Int
  private var state: UnsafeMutablePointer<ebur128_state>?

  /// Creates a meter for 1, 2 or 6 (5.1) channels.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings`.
  public init(rate: Int, channels: Int) throws(MediaError) {
    self.channels = channels
    let mode = EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    guard ChannelMatrix.outputs.contains(channels), (1000...384_000).contains(rate),
      let state = ebur128_init(UInt32(channels), UInt(rate), Int32(mode))
    else {
      throw MediaError(
        .invalidSettings, "cannot measure \(channels) channels at \(rate) Hz",
        on: "loudness meter")
    }
    self.state = state
  }

  deinit { ebur128_destroy(&state) }

  /// Adds a range of each channel's samples.
  ///
  /// - Returns: the highest true peak among them; 1 is full scale.
  @discardableResult
  public func add(_ samples: [[Float]], _ range: Range<Int>) throws(MediaError) -> Double {
    var interleaved: [Float] = []
    interleaved.reserveCapacity(range.count * channels)
    for number in range { for channel in samples { interleaved.append(channel[number]) } }
    try check(ebur128_add_frames_float(state, interleaved, range.count))
    var highest = 0.0
    for channel in 0..<channels {
      var peak = 0.0
      try check(ebur128_prev_true_peak(state, UInt32(channel), &peak))
      highest = max(highest, peak)
    }
    return highest
  }

  /// The integrated loudness so far, in LUFS; `nil` if nothing was loud enough to count.
  public var integrated: Double? {
    get throws(MediaError) {
      var loudness = 0.0
      try check(ebur128_loudness_global(state, &loudness))
      return loudness.isFinite ? loudness : nil
    }
  }

  private func check(_ status: Int32) throws(MediaError) {
    guard status != Int32(EBUR128_SUCCESS.rawValue) else { return }
    throw MediaError(
      .conversionFailed, "cannot measure loudness", on: "the mix", cause: "libebur128: \(status)")
  }
}
