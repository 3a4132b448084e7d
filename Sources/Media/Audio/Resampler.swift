import CFFmpeg

/// Brings decoded audio of any format, layout and rate to planar 32-bit float of one rate, mono or stereo.
///
/// Output sample `k` is at input time `k / rate`: the filter's delay is compensated, and ``flush()`` delivers the
/// tail. Gains: mono to each stereo channel 1; stereo to mono 1/2 of each; every other layout as ITU-R BS.775 has it,
/// centre and surrounds at √½ into the front channels of their side, the low-frequency channel left out. Nothing is
/// clipped. Not thread-safe.
public final class Resampler {
  /// Samples per second that come out.
  public let rate: Int
  /// Channels that come out: 1 or 2.
  public let channels: Int
  private let name: String
  private var context: OpaquePointer?

  /// A resampler for the audio of the asset called `name`; the input's format is taken from its first frame.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings`.
  public init(rate: Int, channels: Int, named name: String) throws {
    LibavLog.installed
    guard (8000...384_000).contains(rate), (1...2).contains(channels) else {
      throw MediaError(
        .invalidSettings, "audio cannot have \(channels) channels at \(rate) Hz", on: name,
        remedy: "use 1 or 2 channels at 8000 to 384000 Hz")
    }
    self.rate = rate
    self.channels = channels
    self.name = name
  }

  deinit { swr_free(&context) }

  /// Converts a decoded run of samples; the result, per channel, may be longer or shorter than its time.
  public func convert(_ frame: Frame) throws -> [[Float]] {
    let context = try context ?? open(for: frame)
    let input = frame.pointer.pointee.extended_data
    return try run(context, count: Int32(frame.sampleCount)) { output, capacity in
      input?.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: frame.channels) {
        swr_convert(context, output, capacity, $0, Int32(frame.sampleCount))
      } ?? 0
    }
  }

  /// The samples that the filter still holds; the next frame begins anew.
  public func flush() throws -> [[Float]] {
    guard let context else { return Array(repeating: [], count: channels) }
    defer { swr_free(&self.context) }
    return try run(context, count: 0) { output, capacity in
      swr_convert(context, output, capacity, nil, 0)
    }
  }

  private func run(
    _ context: OpaquePointer, count: Int32,
    _ convert: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Int32) -> Int32
  ) throws -> [[Float]] {
    let capacity = try checked(
      swr_get_out_samples(context, count), .conversionFailed, "cannot resample audio", on: name)
    var planes: [UnsafeMutablePointer<UInt8>?] = []
    let storage = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: max(1, Int(capacity) * channels))
    defer { storage.deallocate() }
    storage.initialize(repeating: 0)
    for channel in 0..<channels {
      let plane = storage.baseAddress?.advanced(by: channel * Int(capacity))
      planes.append(UnsafeMutableRawPointer(plane)?.assumingMemoryBound(to: UInt8.self))
    }
    let produced = try checked(
      planes.withUnsafeMutableBufferPointer { convert($0.baseAddress, capacity) },
      .conversionFailed, "cannot resample audio", on: name)
    return (0..<channels).map { channel in
      let start = channel * Int(capacity)
      return Array(storage[start..<start + Int(produced)])
    }
  }

  private func open(for frame: Frame) throws -> OpaquePointer {
    var input = AVChannelLayout()
    defer { av_channel_layout_uninit(&input) }
    if frame.pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&input, Int32(frame.channels))
    } else {
      av_channel_layout_copy(&input, &frame.pointer.pointee.ch_layout)
    }
    var output = AVChannelLayout()
    av_channel_layout_default(&output, Int32(channels))
    try checked(
      swr_alloc_set_opts2(
        &context, &output, AV_SAMPLE_FMT_FLTP, Int32(rate), &input,
        AVSampleFormat(rawValue: frame.pointer.pointee.format), Int32(frame.sampleRate), 0, nil),
      .conversionFailed, "cannot resample audio", on: name)
    if let gains = Self.gains(from: frame.channels, to: channels) {
      try checked(
        swr_set_matrix(context, gains, Int32(frame.channels)), .conversionFailed,
        "cannot mix channels", on: name)
    }
    try checked(
      swr_init(context), .conversionFailed, "cannot resample audio", on: name,
      remedy: "its channel layout has no mono or stereo form; convert the file's audio")
    return try allocated(context, for: name)
  }

  /// The gains, output by input, where libav's own would change the level of what is heard.
  private static func gains(from input: Int, to output: Int) -> [Double]? {
    switch (input, output) {
    case (1, 2): [1, 1]
    case (2, 1): [0.5, 0.5]
    default: nil
    }
  }
}
