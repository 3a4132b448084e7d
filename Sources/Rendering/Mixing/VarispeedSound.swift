import Media
import Planning
import Timeline

/// An input at changed speed whose pitch follows the speed: each sample of the mix is the source's sound at the exact
/// instant to which the time map maps it.
final class VarispeedSound: InputSound {
  /// A stretch of samples of the mix and their places in the source: sample i is at `(slope × i + offset) / divisor`,
  /// in samples of the source.
  private struct Piece {
    let first: Int64
    let slope: Int128
    let offset: Int128
    let divisor: Int128
    let speed: Double

    /// The place of a sample: the source's sample at or before it, and the fraction of the way to the next one.
    func place(of sample: Int64) -> (whole: Int64, fraction: Double) {
      var (whole, rest) = (slope * Int128(sample) + offset)
        .quotientAndRemainder(dividingBy: divisor)
      if rest < 0 { (whole, rest) = (whole - 1, rest + divisor) }
      return (Int64(clamping: whole), Double(rest) / Double(divisor))
    }
  }

  let lane: Lane
  private let pieces: [Piece]
  /// The number of samples before a place that the fastest piece needs. They are kept at every speed, because a fast
  /// piece after a slow one reaches further back.
  private let greatestReach: Int64
  private let channels: Int
  /// The next sample of the mix.
  private var next: Int64
  private var kernel = SincKernel()
  /// The buffered samples of the source, per channel; the first one's position is `heldStart`.
  private var held: [[Float]]
  private var heldStart: Int64

  /// Creates the sound of a time map's pieces.
  ///
  /// - Parameters:
  ///   - lane: reads the source at its own rate.
  ///   - rate: the mix's rate.
  init(_ lane: Lane, map: TimeMap, from first: Int64, rate: Int, channels: Int) throws {
    self.lane = lane
    self.channels = channels
    let (unit, own) = (try RationalTime(1, Int64(rate)), RationalTime(Int64(lane.reader.rate)))
    pieces = try map.pieces.map { piece in
      let speed = try piece.source.duration / piece.target.duration
      let slope = try speed * unit * own
      let offset = try (piece.source.start - piece.target.start * speed) * own
      return Piece(
        first: try piece.target.start.ticks(of: unit, rounding: .nearest),
        slope: Int128(slope.numerator) * Int128(offset.denominator),
        offset: Int128(offset.numerator) * Int128(slope.denominator),
        divisor: Int128(slope.denominator) * Int128(offset.denominator),
        speed: speed.seconds * own.seconds / Double(rate))
    }
    greatestReach = Int64(pieces.map { SincKernel.reach(forSpeed: $0.speed) }.max() ?? 0)
    next = first
    held = Array(repeating: [], count: channels)
    heldStart = 0
  }

  func read(_ count: Int) throws -> [[Float]] {
    var result = Array(repeating: [Float](repeating: 0, count: count), count: channels)
    var done = 0
    while done < count {
      let number = pieces.lastIndex { $0.first <= next } ?? 0
      let end = number + 1 < pieces.count ? pieces[number + 1].first : .max
      let length = Int(min(Int64(count - done), end - next))
      try read(length, of: pieces[number], into: &result, at: done)
      done += length
      next += Int64(length)
    }
    return result
  }

  private func read(
    _ count: Int, of piece: Piece, into result: inout [[Float]], at offset: Int
  ) throws {
    kernel.prepare(forSpeed: piece.speed)
    let reach = Int64(kernel.reach)
    let last = piece.place(of: next + Int64(count) - 1).whole
    try hold(from: piece.place(of: next).whole - greatestReach, to: last + reach + 1)
    for number in 0..<count {
      let place = piece.place(of: next + Int64(number))
      kernel.weigh(fraction: place.fraction)
      let start = Int(place.whole - reach - heldStart)
      for channel in 0..<channels {
        result[channel][offset + number] = kernel.sum(of: held[channel], from: start)
      }
    }
  }

  /// Buffers the source's samples of a range. Reading only goes forward.
  private func hold(from first: Int64, to last: Int64) throws {
    let heldEnd = heldStart + Int64(held[0].count)
    if held[0].isEmpty || first >= heldEnd {
      held = Array(repeating: [], count: channels)
      heldStart = first
    } else if first > heldStart {
      for channel in held.indices { held[channel].removeFirst(Int(first - heldStart)) }
      heldStart = first
    }
    let from = heldStart + Int64(held[0].count)
    guard from <= last else { return }
    let samples = try lane.read(from: from, count: Int(last - from + 1))
    for channel in held.indices { held[channel] += samples[channel] }
  }
}
