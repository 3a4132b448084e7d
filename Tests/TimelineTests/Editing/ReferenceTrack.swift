import Timeline

/// A track as a plain list: what it presents in each tick of the composition's time.
///
/// Editing it is editing a list, so that it is easily seen to be right.
struct ReferenceTrack: Equatable {
  /// What a track presents in one tick.
  struct Cell: Equatable {
    var asset: String
    var trackIndex: Int
    /// The time in the asset when the tick begins.
    var source: RationalTime
    /// How much of the asset's time passes during the tick.
    var length: RationalTime
  }

  /// Seconds per tick.
  static let tick = RationalTime(1)

  let id: Int
  let mediaType: MediaType
  /// One cell a tick, `nil` where nothing is presented; the last one is none of those.
  private(set) var cells: [Cell?] = []

  init(id: Int, mediaType: MediaType) {
    self.id = id
    self.mediaType = mediaType
  }

  /// The cells of a range of an asset's track at its own speed.
  static func cells(
    _ assetTrack: AssetTrack, from source: RationalTime, count: Int
  ) throws -> [Cell?] {
    try (0..<count).map { number in
      Cell(
        asset: assetTrack.asset, trackIndex: assetTrack.trackIndex,
        source: try source + tick * Int64(number), length: tick)
    }
  }

  /// Puts cells in at a tick.
  mutating func insert(_ inserted: [Cell?], at start: Int) {
    extend(to: start)
    cells.insert(contentsOf: inserted, at: start)
    trim()
  }

  /// Puts empty cells in before a cell that is there.
  mutating func insertEmpty(_ range: Range<Int>) {
    guard range.lowerBound < cells.count else { return }
    insert(Array(repeating: nil, count: range.count), at: range.lowerBound)
  }

  /// Takes cells out.
  mutating func remove(_ range: Range<Int>) {
    cells.removeSubrange(range.clamped(to: 0..<cells.count))
    trim()
  }

  /// Gives each cell of a range `numerator` parts, and makes one cell of each `denominator` parts.
  ///
  /// - Returns: whether the parts that were to be one cell continue one another; else nothing has changed.
  mutating func scale(_ range: Range<Int>, by numerator: Int, over denominator: Int) throws -> Bool
  {
    var scaled = self
    scaled.extend(to: range.upperBound)
    var parts: [Cell?] = []
    for cell in scaled.cells[range] {
      guard var part = cell else {
        parts += Array(repeating: nil, count: numerator)
        continue
      }
      part.length = try part.length / RationalTime(Int64(numerator))
      for _ in 0..<numerator {
        parts.append(part)
        part.source = try part.source + part.length
      }
    }
    var whole: [Cell?] = []
    for start in stride(from: 0, to: parts.count, by: denominator) {
      let group = parts[start..<start + denominator]
      guard try Self.continues(group) else { return false }
      var cell = parts[start]
      if let length = cell?.length { cell?.length = try length * Int64(denominator) }
      whole.append(cell)
    }
    scaled.cells.replaceSubrange(range, with: whole)
    scaled.trim()
    self = scaled
    return true
  }

  /// Whether cells are all empty, or play on from one to the next at one speed.
  private static func continues(_ cells: ArraySlice<Cell?>) throws -> Bool {
    try zip(cells, cells.dropFirst()).allSatisfy { cell, next in
      guard var expected = cell else { return next == nil }
      expected.source = try expected.source + expected.length
      return next == expected
    }
  }

  private mutating func extend(to count: Int) {
    guard count > cells.count else { return }
    cells += Array(repeating: nil, count: count - cells.count)
  }

  private mutating func trim() {
    while let last = cells.last, last == nil { cells.removeLast() }
  }
}

extension ReferenceTrack {
  /// The list that a track stands for.
  init(_ track: Track) throws {
    self.init(id: track.id, mediaType: track.mediaType)
    for segment in track.segments {
      let start = Int(try segment.target.start.ticks(of: Self.tick))
      let count = Int(try segment.target.duration.ticks(of: Self.tick))
      let length = try segment.source.duration / RationalTime(Int64(count))
      let cells = try (0..<count).map { number in
        Cell(
          asset: segment.asset, trackIndex: segment.trackIndex,
          source: try segment.source.start + length * Int64(number), length: length)
      }
      insert(cells, at: start)
    }
  }
}
