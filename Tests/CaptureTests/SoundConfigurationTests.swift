import CCapture
import Capture
import Support
import Testing

/// The choice of a configuration, with a device that is a list of what it supports.
@Suite(.mayBlock) struct SoundConfigurationTests {
  /// Channels, rates and sample formats that a device supports together.
  struct Mode {
    var channels: [UInt32]
    var rates: [UInt32]
    var formats: [SampleFormat]
    var periods: ClosedRange<UInt32> = 1_000...1_000_000
    var buffers: ClosedRange<UInt32> = 10_000...10_000_000
  }

  private func choose(
    _ modes: [Mode], _ request: SoundCaptureRequest = SoundCaptureRequest()
  ) throws -> (channels: UInt32, rate: UInt32, format: SampleFormat?, space: sheaf_sound_space) {
    let space = try SoundConfiguration.choose(request) { wanted throws(CaptureError) in
      Self.refine(wanted, modes)
    }
    #expect(space.channels.least == space.channels.most)
    #expect(space.rate.least == space.rate.most)
    let format = SampleFormat.preferred.first { SampleFormat.mask(of: [$0]) == space.formats }
    return (space.channels.least, space.rate.least, format, space)
  }

  /// As the kernel does: the smallest ranges with all that is supported of a set; `nil` for none.
  private static func refine(_ wanted: sheaf_sound_space, _ modes: [Mode]) -> sheaf_sound_space? {
    var (channels, rates, formats): ([UInt32], [UInt32], [SampleFormat]) = ([], [], [])
    var result = wanted
    for mode in modes {
      let possible = (
        mode.channels.filter { (wanted.channels.least...wanted.channels.most).contains($0) },
        mode.rates.filter { (wanted.rate.least...wanted.rate.most).contains($0) },
        mode.formats.filter { SampleFormat.mask(of: [$0]) & wanted.formats != 0 }
      )
      guard !possible.0.isEmpty, !possible.1.isEmpty, !possible.2.isEmpty,
        mode.periods.overlaps(wanted.period.least...wanted.period.most),
        mode.buffers.overlaps(wanted.buffer.least...wanted.buffer.most)
      else { continue }
      channels += possible.0
      rates += possible.1
      formats += possible.2
    }
    guard let fewest = channels.min(), let most = channels.max(), let lowest = rates.min(),
      let highest = rates.max()
    else { return nil }
    result.channels = sheaf_sound_range(least: fewest, most: most)
    result.rate = sheaf_sound_range(least: lowest, most: highest)
    result.formats = SampleFormat.mask(of: formats)
    return result
  }

  @Test func `two channels at 48 kHz in 16 bits are preferred`() throws {
    let chosen = try choose([
      Mode(
        channels: [1, 2, 8], rates: [8000, 44_100, 48_000, 192_000], formats: [.u8, .s32, .s16])
    ])
    #expect(chosen.channels == 2)
    #expect(chosen.rate == 48_000)
    #expect(chosen.format == .s16)
  }

  @Test(
    arguments: [
      ([1], [44_100], [.s24InThreeBytes], 1, 44_100, .s24InThreeBytes),
      ([4, 8], [96_000, 192_000], [.s24, .s32], 4, 96_000, .s32),
      ([1, 2], [8000, 16_000], [.float, .u8], 2, 16_000, .float),
      ([1, 2], [44_100, 96_000], [.s16], 2, 96_000, .s16),
    ] as [([UInt32], [UInt32], [SampleFormat], UInt32, UInt32, SampleFormat)])
  func `a device that lacks them is used as it is`(
    channels: [UInt32], rates: [UInt32], formats: [SampleFormat], chosenChannels: UInt32,
    chosenRate: UInt32, chosenFormat: SampleFormat
  ) throws {
    let chosen = try choose([Mode(channels: channels, rates: rates, formats: formats)])
    #expect(chosen.channels == chosenChannels)
    #expect(chosen.rate == chosenRate)
    #expect(chosen.format == chosenFormat)
  }

  @Test func `what depends on each other is chosen together`() throws {
    // In stereo, the device has 24 bits and 44.1 kHz only.
    let chosen = try choose([
      Mode(channels: [1], rates: [48_000], formats: [.s16]),
      Mode(channels: [2], rates: [44_100], formats: [.s24InThreeBytes]),
    ])
    #expect(chosen.channels == 2)
    #expect(chosen.rate == 44_100)
    #expect(chosen.format == .s24InThreeBytes)
  }

  @Test func `what is requested is captured`() throws {
    let chosen = try choose(
      [Mode(channels: [1, 2, 8], rates: [44_100, 48_000, 96_000], formats: [.s16])],
      SoundCaptureRequest(sampleRate: 96_000, channels: 8))
    #expect(chosen.channels == 8)
    #expect(chosen.rate == 96_000)
  }

  @Test(arguments: [
    (SoundCaptureRequest(sampleRate: 44_100), "not capture at 44100 Hz, but at 48000 to 96000 Hz"),
    (SoundCaptureRequest(channels: 3), "not capture 3 channels, but 2"),
    (SoundCaptureRequest(channels: -1), "not capture 0 channels, but 2"),
  ])
  func `a request that the device cannot fulfil is rejected`(
    request: SoundCaptureRequest, words: String
  ) throws {
    let error = #expect(throws: CaptureError.self) {
      try choose([Mode(channels: [2], rates: [48_000, 96_000], formats: [.s16])], request)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description == "the device does \(words)")
  }

  @Test func `a device without a supported sample format is rejected`() {
    let error = #expect(throws: CaptureError.self) {
      try choose([
        Mode(channels: [2], rates: [48_000], formats: [SampleFormat(rawValue: 20)])
      ])
    }
    #expect(error?.code == .unsupported)
  }

  @Test(
    arguments: [
      // What the device supports, and the periods and buffers of the set that is applied, in milliseconds.
      (1...100, 10...5000, 10, 500), (30...100, 10...5000, 5, 500), (10...20, 10...300, 10, 200),
      (10...20, 10...100, 10, nil), (500...1000, 1000...2000, nil, nil),
    ] as [(ClosedRange<UInt32>, ClosedRange<UInt32>, UInt32?, UInt32?)])
  func `the period is short and the buffer is long if the device can do that`(
    periods: ClosedRange<UInt32>, buffers: ClosedRange<UInt32>, period: UInt32?, buffer: UInt32?
  ) throws {
    let space = try choose([
      Mode(
        channels: [2], rates: [48_000], formats: [.s16],
        periods: periods.lowerBound * 1000...periods.upperBound * 1000,
        buffers: buffers.lowerBound * 1000...buffers.upperBound * 1000)
    ]).space
    #expect(space.period.least == period.map { $0 * 1000 } ?? 0)
    #expect(space.buffer.least == buffer.map { $0 * 1000 } ?? 0)
  }
}
