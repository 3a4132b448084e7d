import CCapture

/// Chooses the configuration of a sound card.
///
/// The device is asked step by step, because its channels, rates and sample formats may depend on each other.
package struct SoundConfiguration {
  /// Returns the part of a set of configurations that the device supports; `nil` if it supports none of them.
  package typealias Refine = (sheaf_sound_space) throws(CaptureError) -> sheaf_sound_space?

  private let refine: Refine
  private var space: sheaf_sound_space

  private static let all = sheaf_sound_range(least: 0, most: .max)
  private static let usualRate: UInt32 = 48_000
  /// In microseconds. The next ones are tried if the device supports none of the first.
  private static let periods: [ClosedRange<UInt32>] = [
    10_000...20_000, 5_000...50_000, 1_000...200_000,
  ]
  /// In microseconds.
  private static let buffers: [ClosedRange<UInt32>] = [500_000...2_000_000, 200_000...2_000_000]

  /// The configuration to apply, as a set in which the kernel chooses the shortest period and the longest buffer.
  package static func choose(
    _ request: SoundCaptureRequest, refine: @escaping Refine
  ) throws(CaptureError) -> sheaf_sound_space {
    let start = sheaf_sound_space(
      formats: SampleFormat.mask(of: SampleFormat.preferred), channels: all, rate: all, period: all,
      buffer: all)
    guard let offered = try refine(start) else {
      throw CaptureError(.unsupported, "the device offers no supported sample format")
    }
    var configuration = SoundConfiguration(refine: refine, space: offered)
    try configuration.chooseChannels(request.channels)
    try configuration.chooseRate(request.sampleRate)
    try configuration.chooseFormat()
    try configuration.chooseTiming()
    return configuration.space
  }

  /// Narrows the set, if something remains. Returns whether it does.
  private mutating func narrow(
    _ change: (inout sheaf_sound_space) -> Void
  ) throws(CaptureError) -> Bool {
    var wanted = space
    change(&wanted)
    guard let refined = try refine(wanted) else { return false }
    space = refined
    return true
  }

  private mutating func chooseChannels(_ wanted: Int?) throws(CaptureError) {
    let offered = space.channels
    let number = wanted.map { UInt32(clamping: $0) } ?? min(max(2, offered.least), offered.most)
    if try narrow({ $0.channels = sheaf_sound_range(least: number, most: number) }) { return }
    guard wanted == nil else {
      throw CaptureError(
        .unsupported, "the device does not capture \(number) channels, but \(offered.words)")
    }
    _ = try narrow { $0.channels.most = offered.least }
  }

  private mutating func chooseRate(_ wanted: Int?) throws(CaptureError) {
    let offered = space.rate
    let rate = wanted.map { UInt32(clamping: $0) } ?? Self.usualRate
    if try narrow({ $0.rate = sheaf_sound_range(least: rate, most: rate) }) { return }
    guard wanted == nil else {
      throw CaptureError(
        .unsupported, "the device does not capture at \(rate) Hz, but at \(offered.words) Hz")
    }
    // The lowest rate above the usual one loses nothing; otherwise the highest below it loses least.
    if offered.most > rate, try narrow({ $0.rate.least = max(offered.least, rate) }) {
      let lowest = space.rate.least
      if try narrow({ $0.rate.most = lowest }) { return }
    } else if offered.least < rate, try narrow({ $0.rate.most = min(offered.most, rate) }) {
      let highest = space.rate.most
      if try narrow({ $0.rate.least = highest }) { return }
    }
  }

  private mutating func chooseFormat() throws(CaptureError) {
    for format in SampleFormat.preferred {
      let mask = SampleFormat.mask(of: [format])
      if space.formats & mask != 0, try narrow({ $0.formats = mask }) { return }
    }
    throw CaptureError(.unsupported, "the device offers no supported sample format")
  }

  private mutating func chooseTiming() throws(CaptureError) {
    for period in Self.periods {
      for buffer in Self.buffers {
        let isPossible = try narrow {
          $0.period = sheaf_sound_range(least: period.lowerBound, most: period.upperBound)
          $0.buffer = sheaf_sound_range(least: buffer.lowerBound, most: buffer.upperBound)
        }
        if isPossible { return }
      }
    }
    // A small buffer is better than a long period.
    for period in Self.periods {
      let range = sheaf_sound_range(least: period.lowerBound, most: period.upperBound)
      if try narrow({ $0.period = range }) { return }
    }
  }
}

extension sheaf_sound_range {
  /// The range for a reader.
  fileprivate var words: String { least == most ? "\(least)" : "\(least) to \(most)" }
}
