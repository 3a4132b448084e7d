/// Tracks which blocks are in which of a fixed number of places, and in which order they were used.
///
/// It only decides; ``BlockCache`` fetches, writes and reads.
package struct BlockLedger: Sendable {
  package enum State: Hashable, Sendable {
    /// The block is not in the cache.
    case absent
    /// A thread is fetching the block.
    case fetching
    /// The block is in a place.
    case stored(place: Int)
  }

  private enum Entry {
    case fetching(place: Int)
    case stored(place: Int)
  }

  private var entries: [BlockKey: Entry] = [:]
  private var free: [Int]
  /// The stored blocks by place. `newer` and `older` link the places in a ring in order of use, through the anchor.
  private var keys: [BlockKey?]
  private var newer: [Int]
  private var older: [Int]
  private let anchor: Int

  /// Creates a ledger of empty places, numbered from 0.
  package init(places: Int) {
    anchor = places
    free = Array((0..<places).reversed())
    keys = Array(repeating: nil, count: places)
    newer = Array(repeating: places, count: places + 1)
    older = newer
  }

  /// The state of a block. Looking up a stored block makes it the most recently used.
  package mutating func look(up key: BlockKey) -> State {
    switch entries[key] {
    case nil: return .absent
    case .fetching: return .fetching
    case .stored(let place):
      unlink(place)
      link(place)
      return .stored(place: place)
    }
  }

  /// Reserves a place for an absent block that is about to be fetched, and evicts the least recently used block if
  /// necessary. Returns `nil` if every place is being filled, or the block is not absent.
  package mutating func reserve(_ key: BlockKey) -> Int? {
    guard entries[key] == nil, let place = free.popLast() ?? evictOldest() else { return nil }
    entries[key] = .fetching(place: place)
    return place
  }

  /// Records that the block was written to its place.
  package mutating func publish(_ key: BlockKey) {
    guard case .fetching(let place) = entries[key] else { return }
    entries[key] = .stored(place: place)
    keys[place] = key
    link(place)
  }

  /// Records that the block could not be fetched.
  package mutating func abandon(_ key: BlockKey) {
    guard case .fetching(let place) = entries[key] else { return }
    entries[key] = nil
    free.append(place)
  }

  /// Forgets a block that is damaged in the cache.
  ///
  /// - Returns: whether the block was still at that place.
  package mutating func drop(_ key: BlockKey, from place: Int) -> Bool {
    guard case .stored(place) = entries[key] else { return false }
    unlink(place)
    keys[place] = nil
    entries[key] = nil
    free.append(place)
    return true
  }

  private mutating func evictOldest() -> Int? {
    let place = newer[anchor]
    guard place != anchor, let key = keys[place] else { return nil }
    unlink(place)
    keys[place] = nil
    entries[key] = nil
    return place
  }

  private mutating func link(_ place: Int) {
    let newest = older[anchor]
    (newer[newest], older[place]) = (place, newest)
    (newer[place], older[anchor]) = (anchor, place)
  }

  private mutating func unlink(_ place: Int) {
    newer[older[place]] = newer[place]
    older[newer[place]] = older[place]
  }
}
