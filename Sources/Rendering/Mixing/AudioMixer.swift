import Crypto
import Media
import Planning
import Timeline

/// Mixes a job's sound: every input starts at its exact sample and has its volume; the sum is 32-bit float, clipped
/// once.
///
/// If inputs are ducked under others, the others are analyzed first. If a loudness is set, the mix is measured first,
/// and again each time that limiting its peaks makes it miss the loudness by more than ``loudnessTolerance``.
///
/// Memory does not grow with the length of the mix, except by a few bytes per hundredth of a second if it is measured.
/// Blocks; not thread-safe.
public final class AudioMixer {
  /// The number of samples per channel that are mixed at a time.
  public static let blockSize = 4096

  /// The difference from the target loudness, in LU, up to which a limited mix is not measured again.
  static let loudnessTolerance = 0.1
  /// The maximum number of measurements.
  private static let measurementLimit = 5

  private let mix: MixDescription
  private let sounds: InputSounds
  private var inputs: [MixedInput]

  /// The default maximum number of ``concealments``. A segment's list has room for about as many.
  public static let concealmentLimit = 30_000

  /// The damaged sound that was played as silence, each part once.
  public var concealments: [Concealment] { sounds.silenced.parts }

  /// The peaks of the mix, once it is done.
  public private(set) var waveform: Waveform?

  /// The results of the analysis before the mix, once it is done.
  private var prepared: (normalization: Normalization, before: Double?)?

  /// Creates a mixer.
  ///
  /// - Parameters:
  ///   - concealmentLimit: the maximum number of ``concealments``. A mix with more fails with ``RenderingError`` of
  ///     code `tooManyConcealments`.
  ///   - open: opens a source's asset; called once for each input that plays the source at the same time.
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  public init(
    mix: MixDescription, concealmentLimit: Int = AudioMixer.concealmentLimit,
    open: @escaping (AudioSource) throws -> any ByteSource
  ) throws {
    self.mix = mix
    sounds = InputSounds(mix, silenced: SilencedParts(limit: concealmentLimit), open: open)
    guard mix.sampleCount >= 0, mix.settings.sampleRate > 0, mix.settings.channels > 0 else {
      throw Self.invalid("its length, sample rate or channel count is invalid")
    }
    for input in mix.inputs {
      guard mix.sources.indices.contains(input.source) else {
        throw Self.invalid(
          "an input refers to source \(input.source), but there are \(mix.sources.count)")
      }
      guard input.sampleCount >= 0, input.targetSample >= 0,
        !input.targetSample.addingReportingOverflow(input.sampleCount).overflow,
        input.sourceSample.magnitude < 1 << 62, input.timeMap?.isSound ?? true
      else {
        throw Self.invalid("an input of “\(mix.sources[input.source].name)” has an invalid range")
      }
    }
    for ducking in mix.ducking ?? [] {
      guard (ducking.inputs + ducking.under).allSatisfy(mix.inputs.indices.contains),
        Set(ducking.inputs).isDisjoint(with: ducking.under)
      else { throw Self.invalid("an input ducks under a missing input or under itself") }
    }
    let rate = mix.settings.sampleRate
    do {
      // Inputs that begin together stay in order, because the order of a sum decides its last bit.
      inputs = try mix.inputs.enumerated().sorted {
        ($0.element.targetSample, $0.offset) < ($1.element.targetSample, $1.offset)
      }.map {
        MixedInput(
          number: $0.offset, description: $0.element,
          gain: try GainCurve($0.element.volume, rate: rate))
      }
    } catch is TimeError {
      throw Self.invalid("a volume ramp's time is out of range")
    }
  }

  /// Encodes the mix to a new audio file at `path` (MP4, or QuickTime for PCM), whose edit list removes the encoder's
  /// delay.
  ///
  /// - Parameters:
  ///   - parts: writes the mix in parts as well, on another thread; only if it is AAC.
  ///   - progress: called with the number of samples mixed so far; `false` stops the mix.
  /// - Returns: the loudness report, if a loudness is set, and the length and checksum of the file.
  /// - Throws: ``RenderingError`` with code `stopped` or `tooManyConcealments`, or `MediaError`.
  @discardableResult
  public func mix(
    to path: String, parts: SoundPartWriter? = nil,
    progress: (Int64) throws -> Bool = { _ in true }
  ) throws -> (loudness: LoudnessReport?, content: WrittenContent) {
    let (normalization, before) = try prepare()
    var after = try mix.settings.loudness.map { _ in try loudnessPass() }
    let writer = try MixWriter(mix.settings, to: path, parts: parts)
    var mixed: Int64 = 0
    var meter = PeakMeter(
      sampleCount: max(0, mix.sampleCount - (mix.skippedSamples ?? 0)),
      sampleRate: mix.settings.sampleRate)
    do {
      try forEachBlock { block in
        try after?.add(block)
        meter.add(block)
        try writer.add(block)
        mixed += Int64(block[0].count)
        guard try progress(mixed) else { throw RenderingError(.stopped, "the mix was stopped") }
      }
    } catch {
      // Which of two errors comes first depends on the threads.
      throw writer.stop() ?? error
    }
    let content = try writer.finish()
    waveform = meter.finish()
    guard let loudness = mix.settings.loudness else { return (nil, content) }
    let report = LoudnessReport(
      target: loudness.target, before: before, gain: normalization.gain,
      after: try after?.integrated, truePeak: after?.truePeak,
      isLimited: normalization.limiter != nil)
    return (report, content)
  }

  /// Calls `body` with the mix block by block: per channel, samples from −1 to 1, in total exactly the mix's
  /// sample count without skipped samples.
  public func forEachBlock(_ body: ([[Float]]) throws -> Void) throws {
    let normalization = try prepare().normalization
    let skipped = mix.skippedSamples ?? 0
    try forEachHeardSum { block, first in
      var block = block
      normalization.apply(to: &block, at: first)
      let silent = Int(min(max(skipped - first, 0), Int64(block[0].count)))
      guard silent < block[0].count else { return }
      for channel in block.indices {
        block[channel].removeFirst(silent)
        MixedSamples.clip(&block[channel])
      }
      try body(block)
    }
  }

  /// The mix from a sample on, which may be negative, counted without skipped samples. Its loudness is not changed.
  func samples(from first: Int64) throws -> MixedSamples {
    _ = try prepare()
    let skipped = mix.skippedSamples ?? 0
    return MixedSamples(
      InputSum(of: inputs, from: max(first, 0) + skipped, sounds: sounds), from: first,
      count: max(0, mix.sampleCount - skipped))
  }

  /// Analyzes ducking and measures the loudness, unless that has been done.
  private func prepare() throws -> (normalization: Normalization, before: Double?) {
    if let prepared { return prepared }
    try duck()
    let result = try normalize()
    prepared = result
    return result
  }

  /// Analyzes the inputs under which others are ducked.
  private func duck() throws {
    let (rate, channels) = (mix.settings.sampleRate, mix.settings.channels)
    for ducking in mix.ducking ?? [] {
      let under = Set(ducking.under)
      let others = inputs.filter { under.contains($0.number) }
      // Nothing is heard before the first one.
      var detector = HearingDetector(
        threshold: ducking.ducking.threshold, rate: rate, channels: channels,
        beginningAt: others.first?.description.targetSample ?? mix.sampleCount)
      try forEachSum(of: others, from: detector.position) { block, _ in detector.add(block) }
      detector.finish()
      let curve: DuckingCurve
      do {
        curve = try DuckingCurve(ducking.ducking, heard: detector.heard, rate: rate)
      } catch is TimeError {
        throw Self.invalid("a ducking time is out of range")
      }
      for index in inputs.indices where ducking.inputs.contains(inputs[index].number) {
        inputs[index].duckings.append(curve)
      }
    }
  }

  private func loudnessPass() throws -> LoudnessPass {
    try LoudnessPass(rate: mix.settings.sampleRate, channels: mix.settings.channels)
  }

  /// Finds the gain and limiter that bring the mix to its loudness, and measures the loudness before.
  private func normalize() throws -> (Normalization, before: Double?) {
    guard let loudness = mix.settings.loudness else { return (.none, nil) }
    var first = try loudnessPass()
    try forEachHeardSum { block, _ in try first.add(block) }
    guard let before = try first.integrated else { return (.none, nil) }
    let ceiling = Decibels.factor(loudness.truePeak)
    var normalization = Normalization(gain: loudness.target - before)
    for _ in 1..<Self.measurementLimit {
      guard let peak = first.truePeak, peak + normalization.gain > loudness.truePeak else { break }
      normalization.limiter = Limiter(
        peaks: first.peaks, gain: Decibels.factor(normalization.gain), ceiling: ceiling,
        rate: mix.settings.sampleRate)
      var limited = try loudnessPass()
      try forEachHeardSum { block, position in
        var block = block
        normalization.apply(to: &block, at: position)
        try limited.add(block)
      }
      guard let reached = try limited.integrated,
        abs(reached - loudness.target) > Self.loudnessTolerance
      else { break }
      normalization.gain += loudness.target - reached
    }
    // The gain may have changed since the limiter was made.
    if normalization.limiter != nil {
      normalization.limiter = Limiter(
        peaks: first.peaks, gain: Decibels.factor(normalization.gain), ceiling: ceiling,
        rate: mix.settings.sampleRate)
    }
    return (normalization, before)
  }

  /// Calls `body` with the sum of all inputs block by block. Skipped samples are silent, because they do not count for
  /// the loudness of the file.
  private func forEachHeardSum(_ body: ([[Float]], Int64) throws -> Void) throws {
    let skipped = mix.skippedSamples ?? 0
    try forEachSum(of: inputs) { block, first in
      guard first < skipped else { return try body(block, first) }
      var block = block
      let silent = Int(min(skipped - first, Int64(block[0].count)))
      for channel in block.indices {
        block[channel].replaceSubrange(0..<silent, with: repeatElement(0, count: silent))
      }
      try body(block, first)
    }
  }

  /// Calls `body` with the sum of inputs block by block, before anything is clipped, and with the block's first sample.
  private func forEachSum(
    of inputs: [MixedInput], from first: Int64 = 0, _ body: ([[Float]], Int64) throws -> Void
  ) throws {
    let sum = InputSum(of: inputs, from: first, sounds: sounds)
    while sum.position < mix.sampleCount {
      let first = sum.position
      try body(try sum.read(Int(min(Int64(Self.blockSize), mix.sampleCount - first))), first)
    }
  }

  static func invalid(_ problem: String) -> RenderingError {
    RenderingError(.invalidDescription, "the mix is malformed: \(problem)")
  }
}

extension TimeMap {
  /// Whether there are pieces, all of which have a positive length.
  fileprivate var isSound: Bool {
    !pieces.isEmpty
      && pieces.allSatisfy { $0.source.duration > .zero && $0.target.duration > .zero }
  }
}
