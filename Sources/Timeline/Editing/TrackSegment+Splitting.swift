extension TrackSegment {
  /// The two parts before and after an instant within the target range.
  ///
  /// The source is parted in the same proportion, so both parts play at the segment's own speed.
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

/// The building blocks of all edits. The segments are in order of time, without overlaps.
extension [TrackSegment] {
  /// Makes no segment reach across an instant, and gives the number of the first one that begins there or later.
  mutating func split(at time: RationalTime) throws(TimeError) -> Int {
    guard let number = firstIndex(where: { time < $0.target.end }) else { return count }
    guard self[number].target.start < time else { return number }
    let (first, second) = try self[number].split(at: time)
    replaceSubrange(number...number, with: [first, second])
    return number + 1
  }

  /// Moves the segments from a number on by a length of time, in seconds.
  mutating func shift(from number: Int, by offset: RationalTime) throws(TimeError) {
    for index in number..<count {
      let target = self[index].target
      self[index].target = try TimeRange(
        start: target.start + offset, duration: target.duration)
    }
  }
}
