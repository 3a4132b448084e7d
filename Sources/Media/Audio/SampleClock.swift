import CFFmpeg
import Timeline

/// Converts a stream's times to positions in samples, counted from the asset's time zero, and back.
struct SampleClock {
  /// The position of the stream's first audible sample.
  let start: Int64
  /// The position after its last audible sample.
  let end: Int64
  /// How many samples a time may differ from the count before it is considered a jump: 20 ms.
  let slack: Int64
  private let timeBase: RationalTime
  private let origin: RationalTime
  private let sample: RationalTime

  init(stream: AudioStream, origin: RationalTime) throws {
    timeBase = stream.timeBase
    self.origin = origin
    sample = try RationalTime(1, Int64(stream.sampleRate))
    slack = Int64(stream.sampleRate / 50)
    let (timeBase, sample) = (timeBase, sample)
    func position(_ tick: Int64) throws -> Int64 {
      try (timeBase * tick - origin).ticks(of: sample, rounding: .nearest)
    }
    start = try position(stream.start)
    // If a tick is longer than a sample, the end is known only to the tick, and all samples that exist count.
    end = try position(stream.timeBase > sample ? stream.end + 1 : stream.end)
  }

  /// The position of a time in ticks, to the nearest sample.
  func position(of tick: Int64) throws -> Int64 {
    try (timeBase * tick - origin).ticks(of: sample, rounding: .nearest)
  }

  /// The tick at or before a position.
  func tick(of position: Int64) throws -> Int64 {
    try (sample * position + origin).ticks(of: timeBase)
  }
}

extension Demuxer {
  /// Whether the packet times of an audio stream are exact positions in samples, wherever reading begins.
  func countsSamples(of stream: AudioStream) -> Bool {
    guard stream.timeBase.numerator == 1, stream.timeBase.denominator == Int64(stream.sampleRate),
      let pointer = context.pointee.streams[stream.streamIndex]
    else { return false }
    if format == "wav" { return stream.codec.hasPrefix("pcm_") }
    guard format.hasPrefix("mov,") else { return false }
    if stream.codec.hasPrefix("pcm_") { return true }
    let count = avformat_index_get_entries_count(pointer)
    guard count > 2, let first = avformat_index_get_entry(pointer, 0)?.pointee.timestamp,
      let second = avformat_index_get_entry(pointer, 1)?.pointee.timestamp
    else { return false }
    return (0..<count).allSatisfy {
      avformat_index_get_entry(pointer, $0)?.pointee.timestamp
        == first + Int64($0) * (second - first)
    }
  }
}
