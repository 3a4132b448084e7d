import Scheduling

/// The coming events of a simulation in the order of time. Those of one instant keep the order of their addition.
struct Agenda<Happening> {
  private struct Entry {
    let instant: Instant
    let number: Int
    let happening: Happening

    func isBefore(_ other: Entry) -> Bool {
      (instant, number) < (other.instant, other.number)
    }
  }

  private var heap: [Entry] = []
  private var count = 0

  /// Adds what happens at an instant.
  mutating func add(_ happening: Happening, at instant: Instant) {
    heap.append(Entry(instant: instant, number: count, happening: happening))
    count += 1
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes what happens next; `nil` if nothing does.
  mutating func next() -> (instant: Instant, happening: Happening)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return (first.instant, first.happening)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
      guard let least = children.min(by: { heap[$0].isBefore(heap[$1]) }),
        heap[least].isBefore(heap[parent])
      else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
