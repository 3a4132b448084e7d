/// The presented frames of a video stream, in presentation order, in ticks of the stream's time base.
public struct FrameTable: Hashable, Sendable {
  /// Presentation times, strictly increasing.
  public private(set) var times: [Int64]
  /// The end of the last frame: its time plus its duration.
  public private(set) var end: Int64
  /// The frames that the container marks as keyframes, by increasing ``Keyframe/time``.
  public private(set) var keyframes: [Keyframe]
  /// The keyframes at which decoding can start: those with ``Keyframe/isSeekable``.
  public private(set) var starts: [Keyframe]

  /// A frame that the container marks as a keyframe.
  public struct Keyframe: Hashable, Codable, Sendable {
    /// The presentation time, in ticks, of the first exact frame if decoding starts here.
    public var time: Int64
    /// Decoding time, in ticks.
    public var decodingTime: Int64
    /// The byte position of its packet in the file; -1 if the container does not provide it.
    public var position: Int64
    /// Whether frames that follow it in decoding order are presented before it and refer to earlier frames (open GOP).
    public var hasLeadingFrames: Bool
    /// Whether decoding from here yields the same frames from ``time`` on as decoding from the start of the stream.
    public var isSeekable: Bool
    /// The presentation time of its packet if the picture is built up over several frames, the last of which is at
    /// ``time``; `nil` if the packet contains the complete picture.
    public var packetTime: Int64?

    /// Creates a keyframe.
    public init(
      time: Int64, decodingTime: Int64, position: Int64, hasLeadingFrames: Bool,
      isSeekable: Bool = true, packetTime: Int64? = nil
    ) {
      self.time = time
      self.decodingTime = decodingTime
      self.position = position
      self.hasLeadingFrames = hasLeadingFrames
      self.isSeekable = isSeekable
      self.packetTime = packetTime
    }
  }

  /// Creates a table from presentation times in increasing order.
  ///
  /// The order is not checked. It is checked when a table is decoded.
  public init(times: [Int64], end: Int64, keyframes: [Keyframe]) {
    self.times = times
    self.end = end
    self.keyframes = keyframes
    starts = keyframes.allSatisfy(\.isSeekable) ? keyframes : keyframes.filter(\.isSeekable)
  }

  /// The index of the frame at `tick`: the last one with time ≤ tick, or the first frame if there is no such frame.
  ///
  /// - Precondition: the table is not empty.
  public func frame(at tick: Int64) -> Int { times.lastIndex(upTo: tick) }

  /// The keyframe from which to decode the frame at `time`: the last of the ``starts`` with time ≤ `time`.
  public func keyframe(atOrBefore time: Int64) -> Keyframe? {
    let count = startCount(upTo: time)
    return count > 0 ? starts[count - 1] : starts.first
  }

  /// The number of ``starts`` that are presented at or before a time.
  package func startCount(upTo time: Int64) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [Int64] {
  /// The index of the last number ≤ `limit`, or 0 if there is none. The numbers must be in increasing order.
  package func lastIndex(upTo limit: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return Swift.max(low - 1, 0)
  }
}
