/// Determines how slice headers must change so that an intra picture in the middle of an H.264 stream resets the
/// decoder (IDR), and the pictures after it decode as before. The copy lacks some pictures that a decoder of the stream
/// keeps: those before the intra picture, and its leading ones.
///
/// Frame numbers and places in presentation order then count from the intra picture. No later picture is predicted from
/// a missing one, but missing pictures have places in its lists of references, and its commands release them. So this
/// follows which references a decoder keeps with and without them. If a slice's usual list differs without them, the
/// slice moves each reference to the place that it has in the stream, and others to the places of the missing ones.
package struct OpenGroupRewriter: Sendable {
  /// The packets have a form that cannot be rewritten.
  package struct Unsupported: Error {}

  /// The changes to a slice's header.
  package struct Changes: Hashable, Sendable {
    /// Whether the slice becomes one of a picture that resets the decoder.
    package var isReset: Bool
    /// The frame number.
    package var number: Int
    /// The low bits of the place in presentation order.
    package var order: Int
    /// The fields about references; `nil` if they stay as they are.
    package var references: References?

    /// The fields about references.
    package struct References: Hashable, Sendable {
      /// See ``SliceHeader/moves``.
      package var moves: [[SliceHeader.Move]?]
      /// See ``SliceHeader/releases``.
      package var releases: [Int]?

      package init(moves: [[SliceHeader.Move]?], releases: [Int]?) {
        (self.moves, self.releases) = (moves, releases)
      }
    }

    package init(isReset: Bool = false, number: Int, order: Int, references: References? = nil) {
      (self.isReset, self.number, self.order) = (isReset, number, order)
      self.references = references
    }
  }

  /// The references that a decoder of the stream keeps.
  private var stream: ReferenceBuffer
  /// The references that a decoder of the copy keeps: those of the stream, without the missing ones.
  private var copy = ReferenceBuffer()
  private var (streamOrder, copyOrder) = (PresentationOrder(), PresentationOrder())
  /// The place of the intra picture in the stream, and the low bits at which places begin in the copy.
  private var (origin, base) = (0, 0)
  /// The frame number of the copy's last reference.
  private var lastNumber = 0
  /// The ids of leading pictures.
  private var leading: Set<Int> = []
  private var count = 0
  /// Whether a picture of the stream has reset the decoder, so that later packets need no changes.
  package private(set) var isReset = false
  /// Whether the decoders of the stream and the copy keep the same references, so that only numbers change from now on.
  package private(set) var isInStep = false

  /// Begins with the slices of an intra picture.
  ///
  /// - Parameter references: the references before it, as ``ReferenceState`` describes them.
  /// - Returns: the changes to its slices.
  package static func starting(
    with slices: [SliceHeader], after references: [Int]
  ) throws(Unsupported) -> (rewriter: OpenGroupRewriter, changes: [Changes]) {
    guard let first = slices.first, first.isReference, references.count % 2 == 0,
      references.count <= 2 * first.sequence.mostReferences,
      slices.allSatisfy({ $0.prediction == .within && !$0.isReset && $0.isAlike(first) })
    else { throw Unsupported() }
    var rewriter = OpenGroupRewriter(stream: ReferenceState.buffer(references, before: first))
    rewriter.base = first.order + min(first.fieldDistance, 0)
    rewriter.streamOrder = PresentationOrder(resetAt: first.order)
    rewriter.origin = rewriter.streamOrder.place(of: first, lowBits: first.order)
    rewriter.copyOrder = PresentationOrder(resetAt: rewriter.lowBits(of: first))
    guard rewriter.copyOrder.place(of: first, lowBits: rewriter.lowBits(of: first)) == 0,
      let released = rewriter.stream.released(by: first, numbered: first.number)
    else { throw Unsupported() }
    try rewriter.keep(first, releasing: released, id: 0, order: 0)
    rewriter.copy.update(releasing: [], adding: .init(id: 0, number: 0, order: 0))
    let changes = Changes(isReset: true, number: 0, order: rewriter.lowBits(of: first))
    return (rewriter, slices.map { _ in changes })
  }

  private init(stream: ReferenceBuffer) { self.stream = stream }

  /// Leaves out the next picture.
  package mutating func leaveOut(_ slices: [SliceHeader]) throws(Unsupported) {
    guard let first = slices.first, slices.allSatisfy({ $0.isAlike(first) }), !first.isReset else {
      throw Unsupported()
    }
    count += 1
    let order = streamOrder.place(of: first, lowBits: first.order) - origin
    guard first.isReference else { return }
    leading.insert(count)
    guard let released = stream.released(by: first, numbered: first.number) else {
      throw Unsupported()
    }
    try keep(first, releasing: released, id: count, order: order)
  }

  /// The changes to the slices of the next picture; empty if they need none.
  package mutating func changes(to slices: [SliceHeader]) throws(Unsupported) -> [Changes] {
    guard let first = slices.first, slices.allSatisfy({ $0.isAlike(first) }) else {
      throw Unsupported()
    }
    if first.isReset { isReset = true }
    if isReset { return [] }
    count += 1
    let number = (lastNumber + 1) & (first.sequence.numberCount - 1)
    let order = streamOrder.place(of: first, lowBits: first.order) - origin
    guard copyOrder.place(of: first, lowBits: lowBits(of: first)) == order else {
      throw Unsupported()
    }
    if first.isReference { lastNumber = number }
    if isInStep {
      return slices.map { Changes(number: number, order: lowBits(of: $0)) }
    }
    guard let released = stream.released(by: first, numbered: first.number) else {
      throw Unsupported()
    }
    let gone = copy.pictures.filter { released.contains($0.id) }
    var changes: [Changes] = []
    for slice in slices {
      changes.append(
        Changes(
          number: number, order: lowBits(of: slice),
          references: .init(
            moves: try moves(in: slice, numbered: number, at: order),
            releases: releases(of: gone, by: slice, numbered: number))))
    }
    if first.isReference {
      try keep(first, releasing: released, id: count, order: order)
      copy.update(releasing: released, adding: .init(id: count, number: number, order: order))
      let cycle = first.sequence.numberCount
      isInStep =
        stream.pictures.map(\.id) == copy.pictures.map(\.id)
        && zip(stream.pictures, copy.pictures).allSatisfy {
          ($0.number - $1.number - first.number + number) & (cycle - 1) == 0
        }
    }
    return changes
  }

  /// Adds a picture to the references that a decoder of the stream keeps. Commands may release none, but a decoder
  /// never keeps more than the sequence allows.
  private mutating func keep(
    _ slice: SliceHeader, releasing released: Set<Int>, id: Int, order: Int
  ) throws(Unsupported) {
    stream.update(releasing: released, adding: .init(id: id, number: slice.number, order: order))
    guard stream.pictures.count <= slice.sequence.mostReferences else { throw Unsupported() }
  }

  private func lowBits(of slice: SliceHeader) -> Int {
    slice.sequence.orderBits.map { (slice.order - base) & (1 << $0 - 1) } ?? 0
  }

  /// The distances of the references that a slice's picture has to release in the copy; `nil` if no command is needed.
  private func releases(
    of gone: [ReferenceBuffer.Picture], by slice: SliceHeader, numbered number: Int
  ) -> [Int]? {
    // If the copy's buffer is full, it equals that of the stream, and the oldest reference is released without
    // commands.
    let isUsual = slice.releases == nil && copy.pictures.count == slice.sequence.mostReferences
    guard !gone.isEmpty, !isUsual else { return nil }
    return gone.map { number - ReferenceBuffer.pictureNumber($0, for: slice, numbered: number) }
  }

  /// The moves that give a slice the references that it has in the stream, one array per list.
  private func moves(
    in slice: SliceHeader, numbered number: Int, at order: Int
  ) throws(Unsupported) -> [[SliceHeader.Move]?] {
    guard let lists = stream.lists(for: slice, numbered: slice.number, at: order) else {
      throw Unsupported()
    }
    let usual = copy.usualLists(for: slice, numbered: number, at: order)
    var moves: [[SliceHeader.Move]?] = []
    for (wanted, usual) in zip(lists, usual) {
      guard !wanted.contains(where: { $0.map { leading.contains($0.id) } ?? false }) else {
        throw Unsupported()
      }
      let present = wanted.map { entry in
        entry.flatMap { entry in copy.pictures.first { $0.id == entry.id } }
      }
      let isUsual = zip(present, usual).allSatisfy { $1 != nil && ($0 == nil || $0 == $1) }
      if isUsual {
        moves.append(nil)
        continue
      }
      var (filled, predicted) = ([SliceHeader.Move](), number)
      for picture in try fill(present, for: slice) {
        let cycle = slice.sequence.numberCount
        let up = (picture.number - predicted) & (cycle - 1)
        // A distance of 0 is coded as a whole cycle.
        filled.append(
          up > 0 && up <= cycle / 2
            ? SliceHeader.Move(isUpward: true, distance: up)
            : SliceHeader.Move(isUpward: false, distance: cycle - up))
        predicted = picture.number
      }
      moves.append(filled)
    }
    return moves
  }

  /// A list in which other references take the places of missing ones.
  ///
  /// A reference must not occur before its own place: motion that is derived from another picture uses the first place
  /// of its reference (ITU-T H.264, 8.4.1.2.3).
  private func fill(
    _ list: [ReferenceBuffer.Picture?], for slice: SliceHeader
  ) throws(Unsupported) -> [ReferenceBuffer.Picture] {
    var filled: [ReferenceBuffer.Picture] = []
    for entry in list {
      let unused = copy.pictures.last { !list.contains($0) }
      let other = slice.isDirectSpatial ? copy.pictures.last : nil
      guard let picture = entry ?? filled.last ?? unused ?? other else { throw Unsupported() }
      filled.append(picture)
    }
    return filled
  }
}

extension SliceHeader {
  /// Whether two slices can belong to one picture.
  fileprivate func isAlike(_ other: SliceHeader) -> Bool {
    number == other.number && order == other.order && fieldDistance == other.fieldDistance
      && isReference == other.isReference && isReset == other.isReset
      && releases == other.releases && sequence == other.sequence
  }
}
