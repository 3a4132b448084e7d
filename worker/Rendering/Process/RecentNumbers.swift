/// The numbers that were used most recently.
package struct RecentNumbers: Hashable, Sendable {
  private let limit: Int
  /// The numbers, the most recently used last.
  private var numbers: [Int] = []

  /// - Parameter limit: how many numbers count as recent.
  package init(limit: Int) { self.limit = limit }

  /// Notes that a number is used.
  ///
  /// - Returns: the number that is no longer recent because of this, if there is one.
  package mutating func use(_ number: Int) -> Int? {
    guard numbers.last != number else { return nil }
    numbers.removeAll { $0 == number }
    numbers.append(number)
    return numbers.count > limit ? numbers.removeFirst() : nil
  }
}
