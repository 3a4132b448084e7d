extension SteadyFrames {
  /// The frames of a stream whose times jitter around a standard rate.
  ///
  /// A stream has a rate if each of its frames has a slot of its own on a grid of that rate, and if either three out of
  /// four frames are in the slot after the previous frame's, or all times are within an eighth of a slot. Only rates up
  /// to the one that shows every frame at its exact time are considered, and the one with the least jitter is chosen.
  ///
  /// - Parameter ownRate: The constant rate of a stream whose times are rounded and which has no missing frames.
  init?(jittering stream: VideoStream, ownRate: RationalTime?) {
    let rhythm = FrameRhythm(exactlyOf: stream, ownRate: ownRate)
    let isConstant: Bool
    switch rhythm {
    case nil: return nil
    case .steady(let rate):
      guard !StandardFrameRates.all.contains(rate) else { return nil }
      isConstant = true
    case .variable: isConstant = false
    }
    let limit = rhythm.flatMap(StandardFrameRates.lowest(showingEveryFrameOf:))
    var best: (frames: SteadyFrames, jitter: RationalTime)?
    for rate in StandardFrameRates.all where limit.map({ rate <= $0 }) ?? true {
      guard let grid = SlotGrid(of: stream, rate: rate) else { continue }
      let isSteady =
        isConstant
        ? grid.followers == grid.slots.count - 1
        : grid.followers * 4 >= (grid.slots.count - 1) * 3
          || grid.jitter <= .reciprocal(8)
      guard isSteady, grid.jitter < best?.jitter ?? RationalTime(1),
        let frames = SteadyFrames(grid, of: stream, rate: rate)
      else { continue }
      best = (frames, grid.jitter)
    }
    guard let best else { return nil }
    self = best.frames
  }

  private init?(_ grid: SlotGrid, of stream: VideoStream, rate: RationalTime) {
    guard let duration = try? RationalTime(1) / rate,
      let start = try? RationalTime(stream.frames.times[0]) + grid.origin,
      let origin = try? stream.timeBase * start
    else { return nil }
    self.init(frameRate: rate, frameDuration: duration, origin: origin, numbers: grid.slots)
  }
}

/// A grid of equal slots over a stream's times, placed so that no two frames share a slot.
private struct SlotGrid {
  /// The slot of each frame, strictly increasing.
  let slots: [Int64]
  /// The start of slot 0, in ticks after the first frame. It is never later than the frame in the slot.
  let origin: RationalTime
  /// The number of frames in the slot directly after the previous frame's slot.
  let followers: Int
  /// The spread of the frames' times, as a fraction of a slot.
  let jitter: RationalTime

  /// Creates the grid of a rate. Returns `nil` if frames would share slots wherever it is placed.
  init?(of stream: VideoStream, rate: RationalTime) {
    let times = stream.frames.times
    guard times.count > 1, let first = times.first,
      let length = try? RationalTime(1) / rate / stream.timeBase
    else { return nil }
    // Times are measured in fractions of a tick, chosen so that a slot is a whole number of them.
    let (slot, parts) = (Int128(length.numerator), Int128(length.denominator))
    let exact = times.map { (Int128($0) - Int128(first)) * parts }
    guard let last = exact.last, last / slot + 1 >= Int128(times.count - 1) else { return nil }
    let phases = exact.map { $0 % slot }
    let distinct = Set(phases).sorted()
    guard let start = Self.start(phases, exact, distinct, slot) else { return nil }
    let begin = distinct[start]
    // A time before the grid's start belongs to the previous slot.
    let origin = phases[0] >= begin ? begin : begin - slot
    slots = exact.map { Int64(clamping: ($0 - origin) / slot) }
    followers = zip(slots, slots.dropFirst()).count { $1 - $0 == 1 }
    let before = distinct[(start + distinct.count - 1) % distinct.count]
    let spread = before >= begin ? before - begin : before - begin + slot
    guard zip(slots, slots.dropFirst()).allSatisfy({ $0 < $1 }),
      let origin = try? RationalTime(reducing: origin, parts),
      let jitter = try? RationalTime(reducing: spread, slot)
    else { return nil }
    (self.origin, self.jitter) = (origin, jitter)
  }

  /// The index of the phase at which slots start: of all phases that separate all frames, the one after the longest gap
  /// between phases.
  ///
  /// Two frames that are less than a slot apart share a slot, unless a slot starts after the first and no later than
  /// the second.
  private static func start(
    _ phases: [Int128], _ exact: [Int128], _ distinct: [Int128], _ slot: Int128
  ) -> Int? {
    func place(_ phase: Int128) -> Int {
      var (low, high) = (0, distinct.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if distinct[middle] < phase { low = middle + 1 } else { high = middle }
      }
      return low
    }
    /// Rises at the start of a range of phases at which no slot may start, and falls after it.
    var changes = [Int](repeating: 0, count: distinct.count + 1)
    func exclude(_ range: Range<Int>) {
      changes[range.lowerBound] += 1
      changes[range.upperBound] -= 1
    }
    for index in 1..<exact.count where exact[index] - exact[index - 1] < slot {
      let (earlier, later) = (place(phases[index - 1]), place(phases[index]))
      if earlier < later {
        exclude(0..<earlier + 1)
        exclude(later + 1..<distinct.count)
      } else {
        exclude(later + 1..<earlier + 1)
      }
    }
    var (excluded, best) = (0, (place: Int?.none, gap: Int128(-1)))
    for index in distinct.indices {
      excluded += changes[index]
      let before = index == 0 ? distinct[distinct.count - 1] - slot : distinct[index - 1]
      if excluded == 0, distinct[index] - before > best.gap {
        best = (index, distinct[index] - before)
      }
    }
    return best.place
  }
}
