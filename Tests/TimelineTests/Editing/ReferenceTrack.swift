import Timeline

/// A simple model of a track: a list of what it presents in each tick of the composition's time.
///
/// Edits are list operations, so that they are obviously correct.
struct ReferenceTrack: Equatable {
  /// The media that a track presents in one tick.
  struct Cell: Equatable {
    var asset: String
    var trackIndex: Int
    /// The time in the asset at the start of the tick.
    var source: RationalTime
    /// The asset's time that passes during the tick.
    var length: RationalTime
  }

  /// Seconds per tick.
  static let tick = RationalTime(1)

  let id: Int
  let mediaType: MediaType
  /// One cell per tick, or `nil` if nothing is presented. The last cell is never `nil`.
  private(set) var cells: [Cell?] = []

  init(id: Int, mediaType: MediaType) {
    self.id = id
    self.mediaType = mediaType
  }

  /// The cells of a range of an asset's track at normal speed.
  static func cells(
    _ assetTrack: AssetTrack, from source: RationalTime, count: Int
  ) throws -> [Cell?] {
    try (0..<count).map { number in
      Cell(
        asset: assetTrack.asset, trackIndex: assetTrack.trackIndex,
        source: try source + tick * Int64(number), length: tick)
    }
  }

  /// Inserts cells at a tick.
  mutating func insert(_ inserted: [Cell?], at start: Int) {
    extend(to: start)
    cells.insert(contentsOf: inserted, at: start)
    trim()
  }

  /// Inserts empty cells before an existing cell.
  mutating func insertEmpty(_ range: Range<Int>) {
    guard range.lowerBound < cells.count else { return }
    insert(Array(repeating: nil, count: range.count), at: range.lowerBound)
  }

  /// Removes cells.
  mutating func remove(_ range: Range<Int>) {
    cells.removeSubrange(range.clamped(to: 0..<cells.count))
    trim()
  }

  /// Divides each cell of a range into `numerator` parts, and joins every `denominator` parts into one cell.
  ///
  /// - Returns: Whether the parts of each new cell continue one another. If they do not, nothing changes.
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

  /// Whether cells are all empty, or continue one another at one speed.
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
  /// Creates the model of a track.
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
