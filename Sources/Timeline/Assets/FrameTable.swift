/// The presented frames of a video stream, in presentation order, in ticks of the stream's time base.
public struct FrameTable: Hashable, Sendable {
  /// Presentation times, strictly increasing.
  public private(set) var times: [Int64]
  /// The end of the last frame: its time plus its duration.
  public private(set) var end: Int64
  /// Where decoding can begin, by increasing ``Keyframe/time``.
  public private(set) var keyframes: [Keyframe]

  /// A frame that decoding can begin at.
  public struct Keyframe: Hashable, Codable, Sendable {
    /// Presentation time, in ticks.
    public var time: Int64
    /// Decoding time, in ticks.
    public var decodingTime: Int64
    /// Byte position of its packet in the file; -1 where the container has none.
    public var position: Int64
    /// Whether frames that follow in decoding order are presented before it and refer back across it (open GOP).
    public var hasLeadingFrames: Bool

    /// A keyframe from its parts.
    public init(time: Int64, decodingTime: Int64, position: Int64, hasLeadingFrames: Bool) {
      self.time = time
      self.decodingTime = decodingTime
      self.position = position
      self.hasLeadingFrames = hasLeadingFrames
    }
  }

  /// A table from presentation times in increasing order.
  ///
  /// The caller vouches for the order; a table decoded from outside is checked.
  public init(times: [Int64], end: Int64, keyframes: [Keyframe]) {
    self.times = times
    self.end = end
    self.keyframes = keyframes
  }

  /// The index of the frame on show at `tick`: the last one with time ≤ tick, the first where there is none.
  ///
  /// - Precondition: the table is not empty.
  public func frame(at tick: Int64) -> Int { times.lastIndex(upTo: tick) }

  /// The keyframe that decoding of the frame at `time` begins from: the last one with time ≤ `time`.
  public func keyframe(atOrBefore time: Int64) -> Keyframe? {
    var (low, high) = (0, keyframes.count)
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? keyframes[low - 1] : keyframes.first
  }
}

extension [Int64] {
  /// The index of the last number ≤ `limit` in increasing ones, 0 where there is none.
  package func lastIndex(upTo limit: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return Swift.max(low - 1, 0)
  }
}
