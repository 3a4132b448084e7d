extension FrameReader {
  /// The state of decoding.
  struct State {
    /// The frame that was decoded right before the current one, while it is kept.
    var previous: Frame?
    /// The frame delivered last, while it is kept.
    var current: Frame?
    /// The times of both, in ticks.
    var times: (previous: Int64?, current: Int64?)
    /// A frame decoded past one that was missing.
    var lookahead: Frame?
    /// The time of the last keyframe whose packet was sent, in ticks.
    var sentKeyframe: Int64?
    var endIsSent = false
    var isAtStart = true
    /// The time of the keyframe that decoding began at, in ticks; `nil` at the stream's start.
    var start: Int64?
    /// Yields the index's times for a stream without keyframes, whose frames are all decoded in a row.
    var steady: SteadyTimes

    /// Whether the decoder has delivered its last frame.
    var isExhausted = false
    /// Whether pictures may have been left out since decoding began.
    var hasLeftOut = false

    /// Makes a frame the current one.
    mutating func show(_ frame: Frame, keepingPrevious: Bool) {
      previous = keepingPrevious ? current : nil
      current = frame
      times = (times.current, frame.time)
    }
  }
}
