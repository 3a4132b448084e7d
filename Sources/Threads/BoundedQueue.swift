import Foundation

/// A queue from one thread to another. Each side waits for the other: the first until there is room, the second until
/// there is an element.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
public final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var isClosed = false

  /// Creates an empty queue with room for `capacity` elements.
  ///
  /// - Precondition: `capacity` is positive.
  public init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  /// Appends an element as soon as there is room.
  ///
  /// - Returns: `false` if the queue is closed, so that nobody will take the element.
  public func put(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity, !isClosed { condition.wait() }
    guard !isClosed else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Removes the first element as soon as there is one; `nil` once the queue is closed.
  public func take() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, !isClosed { condition.wait() }
    guard !elements.isEmpty else { return nil }
    condition.broadcast()
    return elements.removeFirst()
  }

  /// Closes the queue, and removes its elements.
  public func close() {
    condition.lock()
    defer { condition.unlock() }
    isClosed = true
    elements = []
    condition.broadcast()
  }
}
