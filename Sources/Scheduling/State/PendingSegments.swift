/// The segments of a job that wait for a worker, in one line per memory size, so that those that do not fit on a worker
/// are passed over together.
struct PendingSegments: Sendable {
  /// The segments of one memory size.
  struct Line: Sendable {
    /// The memory that each of them needs, in bytes.
    let memory: Int
    /// The keys of the segments, and of some that were withheld after they had been queued.
    var keys: PriorityQueue<PendingKey>
    /// The number of segments in the line.
    var count: Int
    /// The instant since which workers have passed over the line for lack of memory, while none of its segments was
    /// leased.
    var overtakenSince: Instant?
    /// Whether a deadline will check on ``overtakenSince``.
    var isWatched = false
  }

  /// The lines, the smallest memory first. There are few, because ``MemorySize`` rounds.
  private(set) var lines: [Line] = []
  /// The number of segments in all lines.
  private(set) var count = 0

  init() {}

  /// Queues segments with the memory that each needs.
  init(_ segments: some Sequence<(key: PendingKey, memory: Int)>) {
    for (memory, those) in Dictionary(grouping: segments, by: \.memory) {
      count += those.count
      lines.append(
        Line(memory: memory, keys: PriorityQueue(those.map(\.key)), count: those.count))
    }
    lines.sort { $0.memory < $1.memory }
  }

  mutating func insert(_ key: PendingKey, memory: Int) {
    let index = place(of: memory)
    if index == lines.endIndex || lines[index].memory != memory {
      lines.insert(Line(memory: memory, keys: PriorityQueue(), count: 0), at: index)
    }
    lines[index].keys.insert(key)
    lines[index].count += 1
    count += 1
  }

  /// Subtracts a segment from the counts. Its key stays in the line until it reaches the front.
  mutating func withhold(memory: Int) {
    change(memory) { $0.count -= 1 }
    count -= 1
  }

  /// Removes and returns the first key of the lines in a range of memory sizes. Its segment may have been withheld.
  mutating func removeFirst(within sizes: ClosedRange<Int>) -> PendingKey? {
    var best: (index: Int, key: PendingKey)?
    for index in lines.indices {
      guard lines[index].memory <= sizes.upperBound else { break }
      guard lines[index].memory >= sizes.lowerBound, let key = lines[index].keys.first else {
        continue
      }
      if let earlier = best, earlier.key < key { continue }
      best = (index, key)
    }
    guard let best else { return nil }
    return lines[best.index].keys.removeFirst()
  }

  /// Orders the segments by new keys. Those without a key were withheld.
  mutating func order(by key: (_ index: Int) -> PendingKey?) {
    for line in lines.indices {
      let indices = Set(lines[line].keys.elements.map(\.index))
      lines[line].keys = PriorityQueue(indices.compactMap(key))
    }
  }

  /// The line of a memory size, if it has segments.
  func line(_ memory: Int) -> Line? {
    let index = place(of: memory)
    guard index < lines.endIndex, lines[index].memory == memory, lines[index].count > 0 else {
      return nil
    }
    return lines[index]
  }

  /// The smallest memory that any of the segments needs.
  var smallestMemory: Int? { lines.first { $0.count > 0 }?.memory }

  /// The largest memory that any of the segments needs.
  var largestMemory: Int? { lines.last { $0.count > 0 }?.memory }

  /// Changes the line of a memory size in place, even if it is empty.
  mutating func change(_ memory: Int, _ body: (inout Line) -> Void) {
    let index = place(of: memory)
    guard index < lines.endIndex, lines[index].memory == memory else { return }
    body(&lines[index])
  }

  /// The index of the line of a memory size, or the index where it belongs.
  private func place(of memory: Int) -> Int {
    lines.firstIndex { $0.memory >= memory } ?? lines.endIndex
  }
}
