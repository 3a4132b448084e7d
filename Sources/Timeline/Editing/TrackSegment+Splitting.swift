extension TrackSegment {
  /// The parts of the segment before and after an instant within its target range.
  ///
  /// The source is split in the same proportion, so both parts keep the segment's speed.
  func split(at time: RationalTime) throws(TimeError) -> (TrackSegment, TrackSegment) {
    let speed = try source.duration / target.duration
    let sourceTime = try source.start + (time - target.start) * speed
    var (first, second) = (self, self)
    first.source = try TimeRange(start: source.start, end: sourceTime)
    first.target = try TimeRange(start: target.start, end: time)
    second.source = try TimeRange(start: sourceTime, end: source.end)
    second.target = try TimeRange(start: time, end: target.end)
    return (first, second)
  }
}

/// The building blocks of all edits. The segments are in chronological order without overlaps.
extension [TrackSegment] {
  /// Splits the segment that contains an instant, if there is one.
  ///
  /// - Returns: The index of the first segment that starts at the instant or later.
  mutating func split(at time: RationalTime) throws(TimeError) -> Int {
    guard let number = firstIndex(where: { time < $0.target.end }) else { return count }
    guard self[number].target.start < time else { return number }
    let (first, second) = try self[number].split(at: time)
    replaceSubrange(number...number, with: [first, second])
    return number + 1
  }

  /// Moves the segments from an index on by an offset, in seconds.
  mutating func shift(from number: Int, by offset: RationalTime) throws(TimeError) {
    for index in number..<count {
      let target = self[index].target
      self[index].target = try TimeRange(
        start: target.start + offset, duration: target.duration)
    }
  }
}
