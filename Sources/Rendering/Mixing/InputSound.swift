import Media

/// The samples of one input of a mix, in order.
protocol InputSound: AnyObject {
  /// The reader that the samples come from, which another input may use once this one has ended.
  var lane: Lane { get }
  /// The next `count` samples, per channel, on the mix's grid.
  func read(_ count: Int) throws -> [[Float]]
}

/// An open reader and its position, in samples at its own rate.
final class Lane {
  let source: Int
  let reader: AudioReader
  private(set) var position: Int64

  init(source: Int, reader: AudioReader, position: Int64) {
    self.source = source
    self.reader = reader
    self.position = position
  }

  func read(from first: Int64, count: Int) throws -> [[Float]] {
    position = first + Int64(count)
    return try reader.read(from: first, count: count)
  }
}

/// An input at its own speed.
final class PlainSound: InputSound {
  let lane: Lane
  private var next: Int64

  /// Creates the sound from a sample of the source on.
  init(_ lane: Lane, from first: Int64) {
    self.lane = lane
    next = first
  }

  func read(_ count: Int) throws -> [[Float]] {
    defer { next += Int64(count) }
    return try lane.read(from: next, count: count)
  }
}
