/// A compact form of many keyframes, with one column per property. It takes a tenth of the bytes of a list.
struct KeyframeColumns: Codable {
  /// ``FrameTable/Keyframe/time``: the first one and runs of equal differences, `[first, difference, count, …]`.
  private var times: [Int64]
  /// ``FrameTable/Keyframe/decodingTime``, in the same form.
  private var decodingTimes: [Int64]
  /// ``FrameTable/Keyframe/position``: the first one and all differences.
  private var positions: [Int64]
  /// Alternating numbers of consecutive keyframes without and with leading frames.
  private var leading: [Int]
  /// Alternating numbers of consecutive keyframes that are and are not seekable.
  private var seekable: [Int]
  /// The indexes of keyframes that have a ``FrameTable/Keyframe/packetTime``, each followed by that time.
  private var packetTimes: [Int64]

  init(_ keyframes: [FrameTable.Keyframe]) {
    times = Self.runs(of: keyframes.lazy.map(\.time))
    decodingTimes = Self.runs(of: keyframes.lazy.map(\.decodingTime))
    var earlier: Int64 = 0
    positions = keyframes.map { keyframe in
      defer { earlier = keyframe.position }
      return keyframe.position &- earlier
    }
    leading = Self.stretches(of: keyframes.lazy.map(\.hasLeadingFrames), from: false)
    seekable = Self.stretches(of: keyframes.lazy.map(\.isSeekable), from: true)
    packetTimes = keyframes.enumerated().flatMap { number, keyframe in
      keyframe.packetTime.map { [Int64(number), $0] } ?? []
    }
  }

  /// The keyframes; `nil` if the columns have different lengths.
  ///
  /// Their number is that of ``positions``, which are stored individually, so a few bytes cannot expand to billions of
  /// keyframes.
  func keyframes() -> [FrameTable.Keyframe]? {
    let count = positions.count
    guard let times = Self.expand(times, count),
      let decodingTimes = Self.expand(decodingTimes, count),
      let leading = Self.expand(leading, from: false, count),
      let seekable = Self.expand(seekable, from: true, count)
    else { return nil }
    var position: Int64 = 0
    var keyframes = (0..<count).map { number in
      position &+= positions[number]
      return FrameTable.Keyframe(
        time: times[number], decodingTime: decodingTimes[number], position: position,
        hasLeadingFrames: leading[number], isSeekable: seekable[number])
    }
    for place in stride(from: 0, to: packetTimes.count, by: 2) {
      guard place + 1 < packetTimes.count, let number = Int(exactly: packetTimes[place]),
        keyframes.indices.contains(number)
      else { return nil }
      keyframes[number].packetTime = packetTimes[place + 1]
    }
    return keyframes
  }

  private static func runs(of values: some Sequence<Int64>) -> [Int64] {
    let (first, runs) = values.stepRuns
    return (first.map { [$0] } ?? []) + runs
  }

  private static func expand(_ runs: [Int64], _ count: Int) -> [Int64]? {
    guard var value = runs.first else { return count == 0 ? [] : nil }
    guard count > 0 else { return nil }
    var values: [Int64] = []
    values.reserveCapacity(count)
    values.append(value)
    for place in stride(from: 1, to: runs.count, by: 2) {
      guard place + 1 < runs.count, (0...Int64(count - values.count)).contains(runs[place + 1])
      else { return nil }
      for _ in 0..<runs[place + 1] {
        value &+= runs[place]
        values.append(value)
      }
    }
    return values.count == count ? values : nil
  }

  private static func stretches(of flags: some Sequence<Bool>, from first: Bool) -> [Int] {
    var (stretches, current) = ([0], first)
    for flag in flags {
      if flag == current {
        stretches[stretches.count - 1] += 1
      } else {
        stretches.append(1)
        current = flag
      }
    }
    return stretches
  }

  private static func expand(_ stretches: [Int], from first: Bool, _ count: Int) -> [Bool]? {
    var (flags, current) = ([Bool](), first)
    flags.reserveCapacity(count)
    for length in stretches {
      guard (0...(count - flags.count)).contains(length) else { return nil }
      flags += repeatElement(current, count: length)
      current.toggle()
    }
    return flags.count == count ? flags : nil
  }
}
