import Support
import Timeline

/// Random edits of a composition and of its reference model, which must have the same results.
struct EditScript {
  /// The kinds of edit, by which performed edits are counted.
  enum Operation: String, CaseIterable {
    case addTrack, removeTrack, insertRange, insertSeveral, insertAsset, insertEmpty
    case insertEmptyEverywhere, remove, removeEverywhere, scale, scaleEverywhere
  }

  private static let longest = 240

  private var random: SeededRandom
  private let assets: [IndexedAsset]
  private var usedIDs: Set<Int> = []
  private(set) var composition = Composition()
  private(set) var reference: [ReferenceTrack] = []
  private(set) var counts: [Operation: Int] = [:]

  init(seed: UInt64, assets: [IndexedAsset]) {
    random = SeededRandom(seed: seed)
    self.assets = assets
  }

  /// Performs one edit on both, and returns its kind.
  mutating func step() throws -> Operation {
    let length = reference.map(\.cells.count).max() ?? 0
    if length > Self.longest {
      try remove(number(in: 0...36)..<length - number(in: 0...36), everywhere: true)
      return .removeEverywhere
    }
    let operation = reference.isEmpty ? .addTrack : one(of: Operation.allCases)
    guard try carryOut(operation, length: length) else { return try step() }
    counts[operation, default: 0] += 1
    return operation
  }

  private mutating func carryOut(_ operation: Operation, length: Int) throws -> Bool {
    switch operation {
    case .addTrack:
      guard reference.count < 4 else { return false }
      addTrack()
    case .removeTrack:
      guard reference.count > 2, number(in: 0...3) == 0 else { return false }
      let id = one(of: reference).id
      try composition.removeTrack(id)
      reference.removeAll { $0.id == id }
    case .insertRange: return try insert(count: 1, length: length)
    case .insertSeveral: return try insert(count: number(in: 2...4), length: length)
    case .insertAsset: try insertAsset(length: length)
    case .insertEmpty: try insertEmpty(range(within: length), everywhere: false)
    case .insertEmptyEverywhere: try insertEmpty(range(within: length), everywhere: true)
    case .remove: try remove(range(within: length), everywhere: false)
    case .removeEverywhere: try remove(range(within: length), everywhere: true)
    case .scale: return try scale(range(within: length), everywhere: false)
    case .scaleEverywhere: return try scale(range(within: length), everywhere: true)
    }
    return true
  }
}

// MARK: Tracks

extension EditScript {
  private mutating func addTrack() {
    let preferred = number(in: 0...1) == 0 ? nil : number(in: 0...12)
    let mediaType = one(of: MediaType.allCases)
    let expected = preferred.flatMap { $0 > 0 && !usedIDs.contains($0) ? $0 : nil }
    composition.addTrack(mediaType: mediaType, preferredID: preferred)
    addReference(id: expected ?? (usedIDs.max() ?? 0) + 1, mediaType: mediaType)
  }

  private mutating func addReference(id: Int, mediaType: MediaType) {
    usedIDs.insert(id)
    reference.append(ReferenceTrack(id: id, mediaType: mediaType))
  }
}

// MARK: Insertion

extension EditScript {
  private mutating func insert(count: Int, length: Int) throws -> Bool {
    let index = number(in: 0...reference.count - 1)
    let choices = assets.flatMap { $0.tracks(mediaType: reference[index].mediaType) }
    var insertions: [TimeRangeInsertion] = []
    var cells: [ReferenceTrack.Cell?] = []
    for _ in 0..<count {
      let ticks = number(in: 1...4) * 6
      if count > 1, number(in: 0...3) == 0 {
        insertions.append(.empty(duration: seconds(ticks)))
        cells += Array(repeating: nil, count: ticks)
      } else {
        let source = try sourceStart()
        let assetTrack = one(of: choices)
        insertions.append(
          .media(try TimeRange(start: source, duration: seconds(ticks)), of: assetTrack))
        cells += try ReferenceTrack.cells(assetTrack, from: source, count: ticks)
      }
    }
    let time = number(in: 0...3) == 0 ? nil : time(within: length)
    let start = time.map(seconds)
    try composition.editTrack(reference[index].id) {
      try $0.insertTimeRanges(insertions, at: start)
    }
    reference[index].insert(cells, at: time ?? reference[index].cells.count)
    return true
  }

  private mutating func insertAsset(length: Int) throws {
    let asset = one(of: assets)
    let ticks = number(in: 1...4) * 6
    let source = try sourceStart()
    let time = number(in: 0...3) == 0 ? nil : time(within: length)
    try composition.insertTimeRange(
      TimeRange(start: source, duration: seconds(ticks)), of: asset, at: time.map(seconds))
    let start = time ?? length
    var taken: Set<Int> = []
    for assetTrack in asset.tracks {
      let free = reference.indices.first {
        reference[$0].mediaType == assetTrack.mediaType && !taken.contains($0)
      }
      if free == nil {
        addReference(id: (usedIDs.max() ?? 0) + 1, mediaType: assetTrack.mediaType)
      }
      let index = free ?? reference.count - 1
      reference[index].insert(
        try ReferenceTrack.cells(assetTrack, from: source, count: ticks), at: start)
      taken.insert(index)
    }
    for index in reference.indices where !taken.contains(index) {
      reference[index].insertEmpty(start..<start + ticks)
    }
  }

  private mutating func insertEmpty(_ range: Range<Int>, everywhere: Bool) throws {
    try edit(everywhere: everywhere, times: try timeRange(range)) { composition, times in
      try composition.insertEmptyTimeRange(times)
    } track: { track, times in
      try track.insertEmptyTimeRange(times)
    } reference: {
      $0.insertEmpty(range)
    }
  }
}

// MARK: Removal and scaling

extension EditScript {
  private mutating func remove(_ range: Range<Int>, everywhere: Bool) throws {
    try edit(everywhere: everywhere, times: try timeRange(range)) { composition, times in
      try composition.removeTimeRange(times)
    } track: { track, times in
      try track.removeTimeRange(times)
    } reference: {
      $0.remove(range)
    }
  }

  /// Scales by a small fraction, if segments then still start and end on ticks.
  private mutating func scale(_ range: Range<Int>, everywhere: Bool) throws -> Bool {
    let (numerator, denominator) = one(of: [(2, 1), (3, 1), (1, 2), (1, 3), (3, 2), (2, 3)])
    guard (range.count * numerator).isMultiple(of: denominator) else { return false }
    let indices = everywhere ? Array(reference.indices) : [number(in: 0...reference.count - 1)]
    var scaled = reference
    for index in indices {
      guard try scaled[index].scale(range, by: numerator, over: denominator) else { return false }
    }
    let times = try timeRange(range)
    let duration = seconds(range.count * numerator / denominator)
    if everywhere {
      try composition.scaleTimeRange(times, toDuration: duration)
    } else {
      try composition.editTrack(reference[indices[0]].id) {
        try $0.scaleTimeRange(times, toDuration: duration)
      }
    }
    reference = scaled
    return true
  }

  private mutating func edit(
    everywhere: Bool, times: TimeRange,
    composition editAll: (inout Composition, TimeRange) throws -> Void,
    track editOne: (inout Track, TimeRange) throws -> Void,
    reference editReference: (inout ReferenceTrack) -> Void
  ) throws {
    if everywhere {
      try editAll(&composition, times)
      for index in reference.indices { editReference(&reference[index]) }
    } else {
      let index = number(in: 0...reference.count - 1)
      try composition.editTrack(reference[index].id) { track in
        try editOne(&track, times)
      }
      editReference(&reference[index])
    }
  }
}

// MARK: Choices

extension EditScript {
  private mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func one<Element>(of choices: [Element]) -> Element {
    choices[number(in: 0...choices.count - 1)]
  }

  /// A tick from 0 to slightly after the end. Most are suitable for speed changes.
  private mutating func time(within length: Int) -> Int {
    let tick = number(in: 0...length + 12)
    return number(in: 0...3) == 0 ? tick : tick / 6 * 6
  }

  private mutating func range(within length: Int) -> Range<Int> {
    let start = time(within: length)
    let count = number(in: 0...3) == 0 ? number(in: 1...20) : number(in: 1...6) * 6
    return start..<start + count
  }

  /// A time in an asset, which may be between ticks.
  private mutating func sourceStart() throws -> RationalTime {
    try RationalTime(Int64(number(in: 0...700)), 7)
  }

  private func seconds(_ ticks: Int) -> RationalTime { RationalTime(Int64(ticks)) }

  private func timeRange(_ range: Range<Int>) throws -> TimeRange {
    try TimeRange(start: seconds(range.lowerBound), end: seconds(range.upperBound))
  }
}
