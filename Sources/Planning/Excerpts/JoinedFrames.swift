import Timeline

/// The frames of excerpts, one after the other.
struct JoinedFrames {
  private var times: [Int64] = []
  /// The end of the last frame, in ticks.
  private(set) var end: Int64?
  private var keyframes: [FrameTable.Keyframe] = []
  private var starts: [Int] = []
  private var references: [Int: [Int]] = [:]
  private var ends: [Int] = []
  /// The largest delay between decoding a packet and presenting it, in frames.
  private var delay = 0

  var frames: FrameTable { FrameTable(times: times, end: end ?? 0, keyframes: keyframes) }

  /// Adds an excerpt's own frames.
  mutating func add(_ own: Range<Int>, of stream: VideoStream) {
    let table = stream.frames
    let shift = times.count - own.lowerBound
    times += table.times[own]
    let next = own.upperBound < table.times.count ? table.times[own.upperBound] : table.end
    end = next
    keyframes += table.keyframes.filter { $0.time >= table.times[own.lowerBound] && $0.time < next }
    guard let points = stream.copying else { return }
    for start in points.starts where own.contains(start) {
      starts.append(start + shift)
      references[start + shift] = points.references(before: start)
    }
    let last = ends.last ?? -1
    ends += points.expandedEnds.filter { own.contains($0) || $0 == own.upperBound }.map {
      $0 + shift
    }
    .filter { $0 > last }
    delay = max(delay, points.delay)
  }

  /// Adds placeholders at the rate of the frames before them.
  ///
  /// - Parameter length: their length in seconds.
  mutating func expect(_ length: RationalTime, after stream: VideoStream) throws(TimeError) {
    guard let last = times.last else { return }
    let count = times.count
    let limit = try last + length.ticks(of: stream.timeBase, rounding: .up)
    var known = stream
    known.frames = frames
    if let steady = SteadyFrames(known), let number = steady.numbers.last {
      func time(of number: Int64) throws(TimeError) -> Int64 {
        try (steady.origin + steady.frameDuration * number)
          .ticks(of: stream.timeBase, rounding: .nearest)
      }
      var next = number + 1
      while try time(of: next) < (end ?? last) { next += 1 }
      // After a pause, frames may be between those of the grid, and the following ones continue from there. A shift of a few
      // ticks is only rounding.
      var shift: Int64 = 0
      if let end {
        if try end - time(of: next - 1) < time(of: next) - end { next -= 1 }
        shift = try end - time(of: next)
        if shift.magnitude <= Self.roundingTicks { shift = 0 }
      }
      while true {
        let time = try time(of: next) + shift
        guard time < limit else { break }
        if time > times[times.count - 1] { times.append(time) }
        next += 1
      }
    } else {
      let step = max(
        try RationalTime(1, Self.highestRate).ticks(of: stream.timeBase, rounding: .up), medianStep)
      // The end of the last frame is known.
      var next = max(end ?? last, last + 1)
      while next < limit {
        times.append(next)
        next += step
      }
    }
    end = limit
    // Later frames may be copyable.
    ends += stride(from: max(count, (ends.last ?? -1) + 1), through: times.count, by: 1)
  }

  /// The largest difference of a frame's time from a grid that is due to rounding, in ticks.
  private static let roundingTicks: UInt64 = 2
  /// The highest rate of placeholders, in frames per second.
  private static let highestRate: Int64 = 240

  /// The median distance of frames, in ticks; 0 for a single one.
  private var medianStep: Int64 {
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    return steps.isEmpty ? 0 : steps[steps.count / 2]
  }

  /// The points at which the frames can be copied; `nil` if the first excerpt cannot be copied.
  func copying(like first: CopyPoints?) -> CopyPoints? {
    guard let first else { return nil }
    return CopyPoints(
      starts: starts, references: references, ends: ends, delay: delay, profile: first.profile,
      parameterSetIDs: first.parameterSetIDs, sequenceHeaders: first.sequenceHeaders,
      chromaPosition: first.chromaPosition, peakBitRate: first.peakBitRate)
  }
}
