/// A binary heap. Reading the smallest element takes O(1); inserting and removing an element take O(log n).
struct PriorityQueue<Element: Comparable> {
  private var heap: [Element] = []

  init() {}

  /// Creates a queue of `elements`, in O(n).
  init(_ elements: [Element]) {
    heap = elements
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }
  var first: Element? { heap.first }
  /// The elements, in no particular order.
  var elements: [Element] { heap }

  mutating func insert(_ element: Element) {
    heap.append(element)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Element? {
    guard let last = heap.popLast() else { return nil }
    guard let first = heap.first else { return last }
    heap[0] = last
    sink(0)
    return first
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child] < heap[least] { least = child }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

extension PriorityQueue: Sendable where Element: Sendable {}
