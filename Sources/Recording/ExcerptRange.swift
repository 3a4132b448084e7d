import Timeline

/// Consecutive fragments of a recording that form an excerpt: a file that jobs can render while more is being recorded.
public struct ExcerptRange: Hashable, Codable, Sendable {
  /// The number of their part.
  public var part: Int
  /// The number of the first fragment.
  public var first: Int
  /// The number of the last fragment. If the part goes on, it is also the first one of the next excerpt, because it may
  /// contain what is needed to decode the last frames of this one.
  public var last: Int
  /// The start of the first picture, in seconds from the start of the recording.
  public var start: RationalTime
  /// The number of pictures in ``last`` if that fragment is also in the next excerpt; otherwise 0.
  public var sharedFrames: Int

  /// Creates a range.
  public init(part: Int, first: Int, last: Int, start: RationalTime, sharedFrames: Int) {
    self.part = part
    self.first = first
    self.last = last
    self.start = start
    self.sharedFrames = sharedFrames
  }

  /// The minimum length of an excerpt in seconds, which is that of a usual segment.
  public static let length = RationalTime(5)

  /// Returns the excerpts of a recording. When it has grown, it has the same excerpts, followed by others.
  ///
  /// - Parameters:
  ///   - parts: the parts in order. Only the first ones in the same format are used.
  ///   - fragments: the fragments of each part, in order, by its number. Those before the first fragment of an excerpt
  ///     may be left out, and its own are then the first ones.
  /// - Returns: an empty list if there are no pictures.
  /// - Throws: `TimeError` if a time is out of range.
  public static func all(
    of parts: [RecordedPart], _ fragments: [Int: [RecordedFragment]]
  ) throws(TimeError) -> [ExcerptRange] {
    guard let format = parts.first?.tracks,
      let track = format.firstIndex(where: { $0.kind == .video })
    else { return [] }
    var ranges: [ExcerptRange] = []
    // A part in which nothing was recorded is in no file.
    let recorded = parts.enumerated().filter { place, part in
      place == 0 || place == parts.count - 1 || fragments[part.number]?.isEmpty == false
    }.map(\.element)
    let alike = recorded.prefix { $0.tracks == format }
    for (place, part) in alike.enumerated() {
      let isLast = place == alike.count - 1 && recorded.count == alike.count
      let open = try add(part, fragments[part.number] ?? [], track, to: &ranges)
      // What follows the last fragment of the recording is not known yet.
      if let open, !isLast { ranges.append(open) }
    }
    return ranges
  }

  /// Adds the excerpts of a part that are followed by more of that part.
  ///
  /// - Returns: the last one, which is not; `nil` without fragments.
  private static func add(
    _ part: RecordedPart, _ fragments: [RecordedFragment], _ track: Int,
    to ranges: inout [ExcerptRange]
  ) throws(TimeError) -> ExcerptRange? {
    var open: ExcerptRange?
    for fragment in fragments {
      let start = try part.start + fragment.start
      if var range = open {
        let isDue = try start - range.start >= length && fragment.beginsWithKeyframe
        range.last = fragment.number
        guard isDue else {
          open = range
          continue
        }
        range.sharedFrames =
          fragment.sampleCounts.indices.contains(track) ? fragment.sampleCounts[track] : 0
        ranges.append(range)
      }
      open = ExcerptRange(
        part: part.number, first: fragment.number, last: fragment.number, start: start,
        sharedFrames: 0)
    }
    return open
  }
}
