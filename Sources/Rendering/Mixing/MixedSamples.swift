/// Samples, one array per channel.
typealias SoundBlock = [[Float]]

/// The clipped mix from some sample on, and silence before its beginning and after its end.
final class MixedSamples {
  /// The sample that is read next, counted from the beginning of the mix; negative before it.
  private(set) var position: Int64
  private let sum: InputSum
  private let count: Int64

  /// Creates the samples of a sum that begins with sample `first`, or with sample 0 if `first` is negative.
  ///
  /// - Parameter count: the mix's length.
  init(_ sum: InputSum, from first: Int64, count: Int64) {
    self.sum = sum
    self.count = count
    position = first
  }

  /// The next samples, per channel.
  func read(_ count: Int) throws -> SoundBlock {
    let first = position
    position += Int64(count)
    let start = min(max(first, 0), position)
    let end = max(min(position, self.count), start)
    guard end > start else {
      return [[Float]](repeating: [Float](repeating: 0, count: count), count: sum.channels)
    }
    return try sum.read(Int(end - start)).map { samples in
      var samples = samples
      Self.clip(&samples)
      return [Float](repeating: 0, count: Int(start - first)) + samples
        + [Float](repeating: 0, count: Int(position - end))
    }
  }

  /// Limits samples to −1…1.
  static func clip(_ samples: inout [Float]) {
    for index in samples.indices {
      let sample = samples[index]
      samples[index] = sample.isNaN ? 0 : min(max(sample, -1), 1)
    }
  }
}
