/// How fast a clip of a sequence plays.
public enum ClipSpeed: Hashable, Sendable {
  /// One speed from beginning to end, in seconds of the file a second.
  case constant(RationalTime)
  /// One piece after the other.
  case pieces([Piece])

  /// A part of a clip whose speed is constant or changes evenly.
  public struct Piece: Hashable, Sendable {
    /// How much of the file the piece plays, in seconds; the rest of the clip where `nil`.
    public var duration: RationalTime?
    /// The speed at its start.
    public var from: RationalTime
    /// The speed at its end.
    public var to: RationalTime

    /// Creates a piece.
    public init(duration: RationalTime? = nil, from: RationalTime, to: RationalTime) {
      self.duration = duration
      self.from = from
      self.to = to
    }
  }

  /// The file's own speed.
  public static let normal = ClipSpeed.constant(RationalTime(1))

  /// The minimum number of steps of constant speed in a ramp, per second of the output.
  public static let stepsPerSecond: Int64 = 32
  /// The maximum number of steps in a ramp.
  public static let stepLimit: Int64 = 1000

  /// The pieces over a range of the file; the last one's duration may be missing.
  private var list: [Piece] {
    switch self {
    case .constant(let speed): [Piece(from: speed, to: speed)]
    case .pieces(let pieces): pieces
    }
  }

  /// The part of a length of the file that is left after the pieces' durations: below zero where they are too much.
  func remainder(of length: RationalTime) throws(TimeError) -> RationalTime {
    var rest = length
    for piece in list { rest = try rest - (piece.duration ?? .zero) }
    return rest
  }

  /// The number of the piece that takes the rest, if one does.
  var pieceWithRest: Int? { list.last?.duration == nil ? list.count - 1 : nil }

  /// The ranges of the file with their times from `start` on, each at one speed, without gaps.
  ///
  /// - Parameter source: the range of the file, which the pieces fill.
  func mappings(of source: TimeRange, from start: RationalTime) throws(TimeError)
    -> [(source: TimeRange, target: TimeRange)]
  {
    var mappings: [(source: TimeRange, target: TimeRange)] = []
    var (read, shown) = (source.start, start)
    for piece in list {
      let end = if let duration = piece.duration { try read + duration } else { source.end }
      for step in try piece.steps(over: TimeRange(start: read, end: end), from: shown) {
        mappings.append(step)
        shown = step.target.end
      }
      read = end
    }
    return mappings
  }
}

extension ClipSpeed.Piece {
  /// The piece in steps of constant speed.
  ///
  /// A ramp's speed rises evenly over the time of the output: the file's length is the mean of its ends' speeds times
  /// that of the output, and a step's speed is that of its middle. All edges are exact.
  fileprivate func steps(over source: TimeRange, from start: RationalTime) throws(TimeError)
    -> [(source: TimeRange, target: TimeRange)]
  {
    let mean = try (from + to) / RationalTime(2)
    let length = try source.duration / mean
    guard from != to else {
      return [(source, try TimeRange(start: start, duration: length))]
    }
    let wanted = try (length * ClipSpeed.stepsPerSecond).ticks(of: RationalTime(1), rounding: .up)
    let count = min(max(wanted, 1), ClipSpeed.stepLimit)
    let step = try length / RationalTime(count)
    let rise = try (to - from) / RationalTime(2 * count)
    var edges: [(source: RationalTime, target: RationalTime)] = []
    for number in 0...count {
      let passed = try from * number + rise * number * number
      edges.append((try source.start + step * passed, try start + step * number))
    }
    var steps: [(source: TimeRange, target: TimeRange)] = []
    for (first, next) in zip(edges, edges.dropFirst()) {
      steps.append(
        (
          try TimeRange(start: first.source, end: next.source),
          try TimeRange(start: first.target, end: next.target)
        ))
    }
    return steps
  }
}
