import Timeline

/// The speed of a clip in a sequence.
public enum ClipSpeed: Hashable, Sendable {
  /// A constant speed, in seconds of the file per second.
  case constant(RationalTime)
  /// Consecutive pieces, each with its own speed.
  case pieces([Piece])

  /// A part of a clip whose speed is constant or changes linearly.
  public struct Piece: Hashable, Sendable {
    /// The length of the piece, in seconds of the file. `nil` means the rest of the clip.
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

  /// The normal speed, 1.
  public static let normal = ClipSpeed.constant(RationalTime(1))

  /// The minimum number of steps of constant speed in a ramp, per second of the output.
  public static let stepsPerSecond: Int64 = 32
  /// The maximum number of steps in a ramp.
  public static let stepLimit: Int64 = 1000

  /// The pieces. The last one may have no duration.
  private var list: [Piece] {
    switch self {
    case .constant(let speed): [Piece(from: speed, to: speed)]
    case .pieces(let pieces): pieces
    }
  }

  /// The part of a length of the file that remains after the pieces' durations. Negative if they are too long.
  func remainder(of length: RationalTime) throws(TimeError) -> RationalTime {
    var rest = length
    for piece in list { rest = try rest - (piece.duration ?? .zero) }
    return rest
  }

  /// The index of the piece that plays the rest of the clip, if there is one.
  var pieceWithRest: Int? { list.last?.duration == nil ? list.count - 1 : nil }

  /// The ranges of the file and their times in the output from `start` on, each at a constant speed, without gaps.
  ///
  /// - Parameter source: The range of the file. The pieces must fill it.
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
  /// Divides the piece into steps of constant speed.
  ///
  /// The speed of a ramp changes linearly over the output's time. Its length in the output is therefore its length in
  /// the file divided by the mean of the two speeds, and each step has the speed of its midpoint. All edges are exact.
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
