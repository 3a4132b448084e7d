extension Ramps {
  /// Sets the value from an instant until the next piece. A step at the same instant is replaced.
  ///
  /// - Throws: ``EditError/Code/overlappingRamp`` if the instant is within a ramp.
  mutating func set(_ value: Value, at time: RationalTime) throws(EditError) {
    try refuseOverlap(with: time, until: time)
    let place = pieces.firstIndex { $0.start >= time } ?? pieces.count
    if place < pieces.count, pieces[place].start == time {
      pieces[place] = .step(at: time, value: value)
    } else {
      pieces.insert(.step(at: time, value: value), at: place)
    }
  }

  /// Changes the value from one to another over a time range. A step at the start of the range is replaced.
  ///
  /// - Throws: ``EditError/Code/invalidDuration``, or ``EditError/Code/overlappingRamp`` if the range overlaps a
  ///   ramp or contains a later step.
  mutating func setRamp(
    from start: Value, to end: Value, timeRange: TimeRange, timingFunction: TimingFunction
  ) throws(EditError) {
    try EditError.checkDuration(timeRange.duration, of: "the ramp at \(timeRange.start) s")
    try refuseOverlap(with: timeRange.start, until: timeRange.end)
    let ramp = Piece.ramp(
      timeRange: timeRange, from: start, to: end, timingFunction: timingFunction)
    let place = pieces.firstIndex { $0.start >= timeRange.start } ?? pieces.count
    if place < pieces.count, pieces[place].start == timeRange.start {
      pieces[place] = ramp
    } else {
      pieces.insert(ramp, at: place)
    }
  }

  /// Throws if `start ..< end` overlaps a ramp or contains a step after `start`. For a step, `end` equals `start`.
  private func refuseOverlap(with start: RationalTime, until end: RationalTime) throws(EditError) {
    let new = start == end ? "\(start) s" : "the ramp over [\(start), \(end))"
    for piece in pieces {
      switch piece {
      case .step(let at, _):
        guard start < at, at < end else { continue }
        throw EditError(
          code: .overlappingRamp,
          message: "a step at \(at) s is within \(new); end the ramp at \(at) or earlier")
      case .ramp(let range, _, _, _):
        guard range.contains(start) || (start < range.start && range.start < end) else { continue }
        throw EditError(
          code: .overlappingRamp,
          message: start < range.start
            ? "\(new) overlaps the ramp over \(range.shown); end at \(range.start) or earlier"
            : "\(new) is within the ramp over \(range.shown); start at \(range.end) or later")
      }
    }
  }
}
