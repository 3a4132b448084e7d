import Media
import Planning
import Timeline

/// An input at changed speed that keeps its pitch.
///
/// The edges of the source and of the pieces are rounded to the mix's sample grid. The whole input is stretched as one
/// stream, so that the joins between pieces are inaudible.
final class SpectralSound: InputSound {
  /// Samples of the source that are read at a time.
  private static let chunk: Int64 = 4096

  let lane: Lane
  private let stretcher: TimeStretcher?
  private var next: Int64
  private let end: Int64
  /// Stretched samples that have not been read yet, per channel.
  private var ready: [[Float]]

  /// Creates the sound of a time map's pieces.
  ///
  /// - Parameter rate: the sample rate of the mix, and of the lane's reader.
  init(_ lane: Lane, map: TimeMap, rate: Int, channels: Int, named name: String) throws {
    self.lane = lane
    let unit = try RationalTime(1, Int64(rate))
    func sample(_ time: RationalTime) throws -> Int64 {
      try time.ticks(of: unit, rounding: .nearest)
    }
    var edges: [TimeStretcher.KeyFrame] = []
    for piece in map.pieces {
      let edge = TimeStretcher.KeyFrame(
        input: try sample(piece.source.start), output: try sample(piece.target.start))
      // Pieces shorter than a sample are skipped.
      guard let last = edges.last else {
        edges.append(edge)
        continue
      }
      if edge.input > last.input, edge.output > last.output { edges.append(edge) }
    }
    let first = edges.first?.input ?? 0
    let end = try map.pieces.last.map { try sample($0.source.end) } ?? first
    next = first
    self.end = end
    let start = edges.first ?? TimeStretcher.KeyFrame(input: 0, output: 0)
    let outputEnd = try map.pieces.last.map { try sample($0.target.end) } ?? start.output
    ready = Array(repeating: [], count: channels)
    guard end > first, outputEnd > start.output else {
      stretcher = nil
      return
    }
    stretcher = try TimeStretcher(
      rate: rate, channels: channels, inputCount: end - first,
      outputCount: outputEnd - start.output,
      keyFrames: edges.dropFirst().filter { $0.input < end && $0.output < outputEnd }.map {
        TimeStretcher.KeyFrame(input: $0.input - start.input, output: $0.output - start.output)
      }, named: name)
  }

  func read(_ count: Int) throws -> [[Float]] {
    while ready[0].count < count, next < end, let stretcher {
      let length = min(Self.chunk, end - next)
      let samples = try lane.read(from: next, count: Int(length))
      next += length
      let stretched = stretcher.process(samples, isLast: next == end)
      for channel in ready.indices { ready[channel] += stretched[channel] }
    }
    return ready.indices.map { channel in
      let given = min(count, ready[channel].count)
      let samples = Array(ready[channel][..<given])
      ready[channel].removeFirst(given)
      // The stretcher's last few samples may be missing.
      return samples + [Float](repeating: 0, count: count - given)
    }
  }
}
