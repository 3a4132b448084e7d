import Planning

/// An input of a mix with its volume.
struct MixedInput {
  /// The input's index in the description.
  let number: Int
  /// The input's ranges and source.
  let description: MixInput
  let gain: GainCurve
  /// The gains at which it is ducked, once the other inputs have been analyzed.
  var duckings: [DuckingCurve] = []

  /// Adds the input's next samples to a block of the mix, if it plays there.
  ///
  /// - Parameters:
  ///   - sound: the input's samples.
  ///   - first: the block's first sample.
  func add(from sound: any InputSound, to block: inout [[Float]], at first: Int64) throws {
    let start = max(description.targetSample, first)
    let end = min(description.end, first + Int64(block[0].count))
    guard start < end else { return }
    let (offset, count) = (Int(start - first), Int(end - start))
    var samples = try sound.read(count)
    for ducking in duckings { ducking.apply(to: &samples, at: start) }
    for channel in block.indices {
      samples[channel].withUnsafeBufferPointer { samples in
        block[channel].withUnsafeMutableBufferPointer { target in
          gain.add(
            samples, at: start,
            to: UnsafeMutableBufferPointer(rebasing: target[offset..<offset + count]))
        }
      }
    }
  }
}

extension MixInput {
  /// The first sample of the mix after the input.
  var end: Int64 { targetSample + sampleCount }
}
