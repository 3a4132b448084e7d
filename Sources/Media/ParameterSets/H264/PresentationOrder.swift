/// Derives the places of pictures in presentation order from the low bits that slices state (ITU-T H.264, 8.2.1.1 and
/// 8.2.1.3).
package struct PresentationOrder: Hashable, Sendable {
  /// The place of the last reference picture's first field.
  private var last = 0
  /// The number of pictures, for sequences that are presented as they are decoded.
  private var count = 0

  /// The place of the next picture, which is that of its earlier field.
  ///
  /// - Parameter lowBits: the low bits that its slices state.
  package mutating func place(of slice: SliceHeader, lowBits: Int) -> Int {
    guard let bits = slice.sequence.orderBits else {
      count += 1
      return count - 1
    }
    if slice.isReset { last = 0 }
    let cycle = 1 << bits
    let before = last & (cycle - 1)
    var first = last - before + lowBits
    if lowBits < before, before - lowBits >= cycle / 2 {
      first += cycle
    } else if lowBits > before, lowBits - before > cycle / 2 {
      first -= cycle
    }
    if slice.isReference { last = first }
    return first + min(slice.fieldDistance, 0)
  }

  /// Begins with a reset picture whose slices state low bits.
  package init(resetAt lowBits: Int = 0) { last = lowBits }
}
