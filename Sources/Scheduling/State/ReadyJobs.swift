/// The jobs of one fingerprint that have pending segments, in one line per share, the oldest job first.
struct ReadyJobs: Sendable {
  private(set) var lines: [Share: [JobKey]] = [:]

  var isEmpty: Bool { lines.isEmpty }

  /// Inserts a job in its position, unless it is already there.
  mutating func insert(_ key: JobKey) {
    var line = lines.removeValue(forKey: key.share) ?? []
    let place = line.place(of: key)
    if place == line.endIndex || line[place] != key { line.insert(key, at: place) }
    lines[key.share] = line
  }

  /// Removes a job, if it is there.
  mutating func remove(_ key: JobKey) {
    guard var line = lines.removeValue(forKey: key.share) else { return }
    let place = line.place(of: key)
    if place < line.endIndex, line[place] == key { line.remove(at: place) }
    if !line.isEmpty { lines[key.share] = line }
  }
}

extension [JobKey] {
  /// The index of `key`, or the index where it belongs, by binary search.
  fileprivate func place(of key: JobKey) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if self[middle].order < key.order { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
