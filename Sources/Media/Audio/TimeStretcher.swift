import CRubberBand
import Timeline

/// Changes the length of sound without changing its pitch, with Rubber Band's finer engine.
///
/// Runs on one thread and keeps no state other than its input: the same samples yield the same result. The first input
/// sample becomes the first output sample, and memory use does not grow with the length. Not thread-safe.
public final class TimeStretcher {
  /// A place in the input and its place in the output, in samples.
  public struct KeyFrame: Hashable, Sendable {
    /// The place in the input.
    public var input: Int64
    /// The place in the output.
    public var output: Int64

    /// Creates a key frame.
    public init(input: Int64, output: Int64) {
      self.input = input
      self.output = output
    }
  }

  /// Samples that are processed at a time. A key frame takes effect with the next block.
  private static let blockSize = 128
  private let channels: Int
  private let state: RubberBandState

  /// Creates a stretcher for a given length of sound.
  ///
  /// - Parameters:
  ///   - inputCount: the number of input samples, above 0.
  ///   - outputCount: the number of output samples, to within a few.
  ///   - keyFrames: places between the ends where the speed changes, in increasing order.
  /// - Throws: ``MediaError`` with code `invalidSettings`.
  public init(
    rate: Int, channels: Int, inputCount: Int64, outputCount: Int64, keyFrames: [KeyFrame] = [],
    named name: String
  ) throws(MediaError) {
    let counts = 1...RenderLimits.stretchedSamples
    guard (1000...384_000).contains(rate), channels > 0, counts.contains(inputCount),
      counts.contains(outputCount)
    else {
      throw MediaError(
        .invalidSettings,
        "cannot stretch \(inputCount) samples to \(outputCount) at \(rate) Hz", on: name,
        remedy: "play fewer than \(RenderLimits.stretchedSamples) samples at a changed speed")
    }
    self.channels = channels
    let options =
      RubberBandOptionProcessOffline.rawValue | RubberBandOptionThreadingNever.rawValue
      | RubberBandOptionEngineFiner.rawValue | RubberBandOptionChannelsTogether.rawValue
    guard
      let state = rubberband_new(
        UInt32(rate), UInt32(channels), RubberBandOptions(options),
        Double(outputCount) / Double(inputCount), 1)
    else { throw MediaError(.conversionFailed, "cannot stretch audio", on: name) }
    self.state = state
    rubberband_set_max_process_size(state, UInt32(Self.blockSize))
    rubberband_set_expected_input_duration(state, UInt32(inputCount))
    study(inputCount)
    if !keyFrames.isEmpty {
      var inputs = keyFrames.map { UInt32(clamping: $0.input) }
      var outputs = keyFrames.map { UInt32(clamping: $0.output) }
      rubberband_set_key_frame_map(state, UInt32(keyFrames.count), &inputs, &outputs)
    }
  }

  deinit { rubberband_delete(state) }

  /// Announces the input. The finer engine studies only its length, so silence suffices.
  private func study(_ count: Int64) {
    let block: Int64 = 1 << 16
    let silence = [[Float]](repeating: [Float](repeating: 0, count: Int(block)), count: channels)
    withPlanes(of: silence) { planes in
      var studied: Int64 = 0
      while studied < count {
        let next = min(block, count - studied)
        studied += next
        rubberband_study(state, planes, UInt32(next), studied == count ? 1 : 0)
      }
    }
  }

  /// Processes the next samples, per channel, and returns the output that is finished.
  ///
  /// - Parameter isLast: whether these are the last samples; the rest of the output is then returned with them.
  public func process(_ samples: [[Float]], isLast: Bool) -> [[Float]] {
    var result = [[Float]](repeating: [], count: channels)
    let count = samples.first?.count ?? 0
    withPlanes(of: samples) { planes in
      var first = 0
      repeat {
        let next = min(Self.blockSize, count - first)
        let isFinal = isLast && first + next == count
        let block = planes.map { $0?.advanced(by: first) }
        rubberband_process(state, block, UInt32(next), isFinal ? 1 : 0)
        first += next
        retrieve(into: &result)
      } while first < count
    }
    return result
  }

  private func retrieve(into result: inout [[Float]]) {
    while true {
      let available = Int(rubberband_available(state))
      guard available > 0 else { return }
      let storage = UnsafeMutableBufferPointer<Float>.allocate(capacity: available * channels)
      defer { storage.deallocate() }
      let planes = (0..<channels).map { storage.baseAddress?.advanced(by: $0 * available) }
      let count = Int(rubberband_retrieve(state, planes, UInt32(available)))
      guard count > 0 else { return }
      for channel in 0..<channels {
        let start = channel * available
        result[channel] += storage[start..<start + count]
      }
    }
  }

  /// Lends pointers to each channel's samples.
  private func withPlanes(of samples: [[Float]], _ body: ([UnsafePointer<Float>?]) -> Void) {
    // One array holds all channels, so that one closure lends every plane.
    let count = samples.first?.count ?? 0
    Array(samples.joined()).withUnsafeBufferPointer { buffer in
      body(samples.indices.map { buffer.baseAddress?.advanced(by: $0 * count) })
    }
  }
}
