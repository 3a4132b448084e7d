import CFFmpeg

/// An opened libswresample context: samples of one format in, planar float of one rate and layout out.
final class SampleConverter {
  /// The format of samples before conversion.
  struct Input: Equatable {
    var rate: Int
    var channels: Int
    var format: Int32
  }

  let input: Input
  private let channels: Int
  private let name: String
  private let context: OpaquePointer

  /// - Parameter layout: the input's channel layout, or ``AVChannelLayout/assumed(channels:)`` if it has none.
  init(
    from input: Input, layout: UnsafePointer<AVChannelLayout>?, toRate rate: Int, channels: Int,
    named name: String
  ) throws(MediaError) {
    self.input = input
    self.channels = channels
    self.name = name
    var source = AVChannelLayout()
    defer { av_channel_layout_uninit(&source) }
    if let layout, layout.pointee.order != AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_copy(&source, layout)
    } else {
      source = .assumed(channels: input.channels)
    }
    let matrix = ChannelMatrix(from: &source, to: channels)
    if matrix != nil, source.order != AV_CHANNEL_ORDER_NATIVE, input.channels < 64 {
      // libswresample accepts only native layouts; with a matrix, the identity of the channels does not matter.
      av_channel_layout_uninit(&source)
      av_channel_layout_from_mask(&source, (1 << UInt64(input.channels)) - 1)
    }
    var target = AVChannelLayout()
    av_channel_layout_default(&target, Int32(channels))
    var created: OpaquePointer?
    try checked(
      swr_alloc_set_opts2(
        &created, &target, AV_SAMPLE_FMT_FLTP, Int32(rate), &source,
        AVSampleFormat(rawValue: input.format), Int32(input.rate), 0, nil),
      .conversionFailed, "cannot resample audio", on: name)
    context = try allocated(created, for: name)
    var status: Int32 = 0
    if let matrix {
      let gains = matrix.rows.flatMap(\.self)
      status = swr_set_matrix(context, gains, Int32(input.channels))
    }
    if status >= 0 { status = swr_init(context) }
    guard status >= 0 else {
      // Every property is set: `deinit` frees the context.
      throw MediaError(
        .conversionFailed, "cannot resample audio", on: name,
        remedy: "its channel layout cannot be mixed to mono, stereo or 5.1; "
          + "convert the file's audio",
        cause: LibavError(status: status).text)
    }
  }

  deinit {
    var context: OpaquePointer? = context
    swr_free(&context)
  }

  /// Adds samples to the next output, or removes some, by a slight change of the rate.
  ///
  /// - Parameters:
  ///   - count: the number of samples to add; negative to remove some.
  ///   - distance: the number of samples of the output over which the change is spread.
  func compensate(by count: Int, over distance: Int) throws(MediaError) {
    try checked(
      swr_set_compensation(context, Int32(clamping: count), Int32(clamping: distance)),
      .conversionFailed, "cannot resample audio", on: name)
  }

  /// Converts planar or interleaved samples at libav's plane pointers. Without any, delivers the filter's tail.
  func convert(
    _ planes: UnsafePointer<UnsafePointer<UInt8>?>?, count: Int
  ) throws(MediaError) -> [[Float]] {
    let capacity = Int(
      try checked(
        swr_get_out_samples(context, Int32(count)), .conversionFailed, "cannot resample audio",
        on: name))
    guard capacity > 0 else { return Array(repeating: [], count: channels) }
    let storage = UnsafeMutableBufferPointer<Float>.allocate(capacity: capacity * channels)
    defer { storage.deallocate() }
    var output = (0..<channels).map { channel in
      UnsafeMutableRawPointer(storage.baseAddress?.advanced(by: channel * capacity))?
        .assumingMemoryBound(to: UInt8.self)
    }
    // libswresample only reads the input, but its header in 5.1 does not declare the array itself constant.
    let status = output.withUnsafeMutableBufferPointer {
      swr_convert(
        context, $0.baseAddress, Int32(capacity), UnsafeMutablePointer(mutating: planes),
        Int32(count))
    }
    let produced = Int(
      try checked(status, .conversionFailed, "cannot resample audio", on: name))
    return (0..<channels).map { channel in
      Array(
        UnsafeBufferPointer(rebasing: storage[channel * capacity..<channel * capacity + produced]))
    }
  }

  /// Converts planar float samples.
  func convert(_ samples: [[Float]]) throws -> [[Float]] {
    let count = samples.first?.count ?? 0
    guard count > 0 else { return Array(repeating: [], count: channels) }
    // One array holds all channels, so that one closure lends every plane.
    let joined = Array(samples.joined())
    return try joined.withUnsafeBytes { bytes in
      let planes = samples.indices.map {
        bytes.baseAddress?.advanced(by: $0 * count * MemoryLayout<Float>.stride)
          .assumingMemoryBound(to: UInt8.self)
      }
      return try planes.withUnsafeBufferPointer {
        try convert($0.baseAddress, count: count)
      }
    }
  }

  /// Converts a decoded run of samples of the format that the converter was opened for.
  func convert(_ frame: Frame) throws -> [[Float]] {
    guard let planes = frame.pointer.pointee.extended_data else {
      return Array(repeating: [], count: channels)
    }
    return try UnsafeMutableRawPointer(planes).withMemoryRebound(
      to: UnsafePointer<UInt8>?.self, capacity: frame.channels
    ) { try convert($0, count: frame.sampleCount) }
  }
}

extension Frame {
  /// The format of a run of audio.
  var audioInput: SampleConverter.Input {
    SampleConverter.Input(
      rate: sampleRate, channels: channels, format: pointer.pointee.format)
  }
}
