import Timeline

/// Random access to the samples of one audio stream on an output grid, exact to the sample.
///
/// Sample `k` is the stream's sound at `k / rate` seconds after the asset's time zero, and silence outside the stream.
/// Its value does not depend on earlier reads: the decoder begins at fixed places (see ``SampleReader``), and the
/// resampler at positions where both grids meet, well before the first requested sample. Blocks; not thread-safe.
public final class AudioReader {
  /// Samples per second of the output.
  public let rate: Int
  /// Channels of the output: 1, 2 or 6 (left, right, center, low frequencies and the surrounds).
  public let channels: Int
  private let samples: SampleReader
  private let name: String
  private var conversion: Conversion?

  /// A rate conversion in progress.
  private struct Conversion {
    let converter: SampleConverter
    /// The next sample to feed, on the source's grid.
    var nextInput: Int64
    /// The sample that `ready` begins with, on the output's grid.
    var readyStart: Int64
    /// Converted samples not read yet, per channel.
    var ready: [[Float]]
  }

  /// Opens `stream` of an asset, which the asset's index described.
  ///
  /// - Parameters:
  ///   - origin: the asset's time zero, ``MediaIndex/start``.
  ///   - rate: samples per second to deliver.
  ///   - channels: 1, 2 or 6; other layouts are mixed as ``ChannelMatrix`` says.
  ///   - onDamage: how damaged or missing sound is handled.
  ///   - noteConcealed: called with each part that is silent because of damage, in samples of the stream since the
  ///     asset's time zero.
  /// - Throws: ``MediaError``.
  public init(
    source: any ByteSource, named name: String, stream: AudioStream, origin: RationalTime,
    rate: Int, channels: Int, onDamage: DamagePolicy = .fail,
    noteConcealed: @escaping (Range<Int64>) -> Void = { _ in }
  ) throws {
    self.rate = rate
    self.channels = channels
    self.name = name
    samples = try SampleReader(
      source: source, named: name, stream: stream, origin: origin, channels: channels,
      onDamage: onDamage, noteConcealed: noteConcealed)
    _ = try Resampler(rate: rate, channels: channels, named: name)
  }

  /// Fills each of `planes`, one per channel, with `count` samples from sample `firstSample` on.
  ///
  /// - Throws: ``MediaError``.
  public func read(
    from firstSample: Int64, count: Int, into planes: [UnsafeMutableBufferPointer<Float>]
  ) throws {
    guard planes.count == channels, planes.allSatisfy({ $0.count >= count }) else {
      throw MediaError(
        .invalidSettings, "the buffers are too small, or not one per channel", on: name)
    }
    let result = try read(from: firstSample, count: count)
    for (plane, channel) in zip(planes, result) { _ = plane.update(fromContentsOf: channel) }
  }

  /// The `count` samples from sample `firstSample` on, per channel.
  public func read(from firstSample: Int64, count: Int) throws -> [[Float]] {
    guard count > 0 else { return Array(repeating: [], count: channels) }
    if samples.rate == rate { return try samples.read(from: firstSample, count: count) }
    var current =
      try conversion.flatMap {
        $0.readyStart <= firstSample
          && firstSample - $0.readyStart < Int64($0.ready[0].count + rate) ? $0 : nil
      } ?? begin(before: firstSample)
    conversion = nil
    while current.readyStart + Int64(current.ready[0].count) < firstSample + Int64(count) {
      let input = try samples.read(from: current.nextInput, count: Self.chunk)
      current.nextInput += Int64(Self.chunk)
      let output = try current.converter.convert(input)
      let stale = max(0, min(firstSample - current.readyStart, Int64(current.ready[0].count)))
      current.readyStart += stale
      for channel in current.ready.indices {
        current.ready[channel].removeFirst(Int(stale))
        current.ready[channel] += output[channel]
      }
    }
    let first = Int(firstSample - current.readyStart)
    let result = current.ready.map { Array($0[first..<first + count]) }
    current.readyStart = firstSample + Int64(count)
    current.ready = current.ready.map { Array($0[(first + count)...]) }
    conversion = current
    return result
  }

  /// The number of source samples that are fed at a time.
  private static let chunk = 4096
  /// The number of source samples before the first requested one that the filter needs if it raises the rate.
  private static let filterReach = 128

  /// A conversion that starts where both grids meet, far enough before `sample` that the filter's start is not heard.
  private func begin(before sample: Int64) throws -> Conversion {
    let divisor = Self.greatestCommonDivisor(samples.rate, rate)
    let (inputStep, outputStep) = (Int64(samples.rate / divisor), Int64(rate / divisor))
    let reach =
      Int64(Self.filterReach * max(samples.rate, rate) / rate) * Int64(rate)
      / Int64(samples.rate)
    let wanted = sample - reach - 1
    let meeting = wanted >= 0 ? wanted / outputStep : -((-wanted + outputStep - 1) / outputStep)
    let converter = try SampleConverter(
      from: SampleConverter.Input(
        rate: samples.rate, channels: channels, format: SampleReader.planarFloat),
      layout: nil, toRate: rate, channels: channels, named: name)
    return Conversion(
      converter: converter, nextInput: meeting * inputStep, readyStart: meeting * outputStep,
      ready: Array(repeating: [], count: channels))
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
