/// The reference pictures that a decoder of H.264 keeps, all of them frames and none of them long-term (ITU-T H.264,
/// 8.2.4 and 8.2.5).
package struct ReferenceBuffer: Hashable, Sendable {
  /// A reference picture.
  package struct Picture: Hashable, Sendable {
    /// Identifies the picture, whatever its frame number is.
    package let id: Int
    /// Its frame number.
    package let number: Int
    /// Its place in presentation order.
    package let order: Int

    package init(id: Int, number: Int, order: Int) {
      (self.id, self.number, self.order) = (id, number, order)
    }
  }

  /// The pictures in the order in which they were decoded.
  package private(set) var pictures: [Picture] = []

  package init() {}

  /// The picture number of a reference: its frame number, or a negative number if it is from before the numbers last
  /// began again at 0 (8.2.4.1).
  package static func pictureNumber(
    _ picture: Picture, for slice: SliceHeader, numbered number: Int
  ) -> Int {
    picture.number > number ? picture.number - slice.sequence.numberCount : picture.number
  }

  /// The usual lists of references for a slice (8.2.4.2.1 and 8.2.4.2.3), each as long as the slice needs; `nil` stands
  /// for a reference that is not there.
  ///
  /// - Parameters:
  ///   - number: the frame number of the slice's picture.
  ///   - order: its place in presentation order.
  package func usualLists(for slice: SliceHeader, numbered number: Int, at order: Int)
    -> [[Picture?]]
  {
    var lists: [[Picture]]
    switch slice.prediction {
    case .within: lists = []
    case .fromOne:
      let recent = pictures.map { ($0, Self.pictureNumber($0, for: slice, numbered: number)) }
      lists = [recent.sorted { $0.1 > $1.1 }.map(\.0)]
    case .fromTwo:
      let past = pictures.filter { $0.order < order }.sorted { $0.order > $1.order }
      let future = pictures.filter { $0.order > order }.sorted { $0.order < $1.order }
      lists = [past + future, future + past]
      if lists[1].count > 1, lists[0] == lists[1] { lists[1].swapAt(0, 1) }
    }
    return zip(lists, slice.activeReferences).map { list, count in
      list.prefix(count).map { $0 } + Array(repeating: nil, count: max(count - list.count, 0))
    }
  }

  /// The lists of references for a slice; `nil` if it moves a picture that is not there.
  package func lists(for slice: SliceHeader, numbered number: Int, at order: Int) -> [[Picture?]]? {
    var lists = usualLists(for: slice, numbered: number, at: order)
    for (index, moves) in slice.moves.enumerated() {
      guard let moves else { continue }
      guard moves.count <= lists[index].count else { return nil }
      var predicted = number
      for (place, move) in moves.enumerated() {
        let count = slice.sequence.numberCount
        predicted = (predicted + (move.isUpward ? move.distance : -move.distance)) & (count - 1)
        guard let picture = pictures.first(where: { $0.number == predicted }) else { return nil }
        // The picture moves from its later place, if it has one; otherwise the last one is pushed out.
        if let later = lists[index][place...].firstIndex(where: { $0?.id == picture.id }) {
          lists[index].remove(at: later)
        } else {
          lists[index].removeLast()
        }
        lists[index].insert(picture, at: place)
      }
    }
    return lists
  }

  /// The ids of the pictures that a slice's picture releases, if it is a reference; `nil` if it releases one that is
  /// not there.
  ///
  /// - Parameter isComplete: whether no picture is missing. Otherwise it may release some that are not there.
  package func released(
    by slice: SliceHeader, numbered number: Int, isComplete: Bool = true
  ) -> Set<Int>? {
    guard slice.isReference else { return [] }
    if slice.isReset { return Set(pictures.map(\.id)) }
    guard let distances = slice.releases else {
      return pictures.count < slice.sequence.mostReferences
        ? [] : Set(oldest(for: slice, numbered: number).map { [$0.id] } ?? [])
    }
    var released: Set<Int> = []
    for distance in distances {
      let picture = pictures.first {
        Self.pictureNumber($0, for: slice, numbered: number) == number - distance
      }
      guard picture != nil || !isComplete else { return nil }
      if let picture { released.insert(picture.id) }
    }
    return released
  }

  private func oldest(for slice: SliceHeader, numbered number: Int) -> Picture? {
    pictures.min {
      Self.pictureNumber($0, for: slice, numbered: number)
        < Self.pictureNumber($1, for: slice, numbered: number)
    }
  }

  /// Releases pictures, and then adds one.
  package mutating func update(releasing released: Set<Int>, adding picture: Picture) {
    pictures.removeAll { released.contains($0.id) }
    pictures.append(picture)
  }
}
