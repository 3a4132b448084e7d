/// A unit with a slice of H.264, whose header can be rewritten.
package struct SliceUnit {
  private let escaped: Slice<UnsafeRawBufferPointer>
  /// The start of the unit, or all of it, without escapes.
  private var bytes: [UInt8] = []
  package let header: SliceHeader

  /// The numbers of bytes in which a header is looked for: most are short, and one with all weights takes about half of
  /// the last number.
  private static let headerLengths = [96, 1536]

  /// Reads a unit; `nil` if its header has one of the rarer forms.
  package init?(_ unit: Slice<UnsafeRawBufferPointer>, _ sets: PictureSets) {
    escaped = unit
    for length in Self.headerLengths {
      bytes = UnitEscapes.removed(from: unit.prefix(length))
      guard let header = SliceHeader(bytes, sets) else { continue }
      self.header = header
      return
    }
    return nil
  }

  /// The unit with changes to its header.
  package func rewritten(_ changes: OpenGroupRewriter.Changes) -> [UInt8] {
    var unit = self
    var start = unit.writtenHeader(changes)
    let layout = header.layout
    if header.picture.isArithmetic { start.align() }
    let isShifted = !header.picture.isArithmetic && (start.count - layout.end) % 8 != 0
    // The data begins at the next byte. If it is shifted, all of it has to be written anew.
    let data = (layout.end + 7) / 8
    let rest = isShifted ? nil : bytes[data...].firstIndex { $0 != 0 }.map { $0 + 1 }
    if let rest, rest < bytes.count {
      if !header.picture.isArithmetic { start.append(bytes, layout.end..<data * 8) }
      return UnitEscapes.added(to: start.bytes + bytes[data..<rest]) + tail(from: rest)
    }
    unit.bytes = UnitEscapes.removed(from: escaped)
    if isShifted {
      // The data ends with a one. Zeros fill the last byte.
      let last = unit.bytes.lastIndex { $0 != 0 } ?? unit.bytes.count - 1
      let end = last * 8 + 8 - unit.bytes[last].trailingZeroBitCount
      start.append(unit.bytes, layout.end..<max(end, layout.end))
      return UnitEscapes.added(to: start.bytes)
    }
    if !header.picture.isArithmetic { start.append(unit.bytes, layout.end..<data * 8) }
    return UnitEscapes.added(to: start.bytes + unit.bytes[data...])
  }

  private func writtenHeader(_ changes: OpenGroupRewriter.Changes) -> BitWriter {
    var (writer, layout) = (BitWriter(), header.layout)
    let kind = changes.isReset ? bytes[0] & 0xE0 | 5 : bytes[0]
    writer.append(Int(kind), bits: 8)
    writer.append(bytes, 8..<layout.number)
    writer.append(changes.number, bits: header.sequence.numberBits)
    writer.append(bytes, layout.number + header.sequence.numberBits..<layout.id)
    if changes.isReset { writer.append(unsigned: 1) }
    if let bits = header.sequence.orderBits {
      writer.append(changes.order, bits: bits)
      layout.id += bits
    }
    writer.append(bytes, layout.id..<layout.moves.lowerBound)
    if let references = changes.references {
      for moves in references.moves { writer.append(moves) }
    } else {
      writer.append(bytes, layout.moves)
    }
    writer.append(bytes, layout.moves.upperBound..<layout.releases.lowerBound)
    if changes.isReset {
      writer.append(0, bits: 2)
    } else if let references = changes.references, header.isReference {
      writer.append(releases: references.releases)
    } else {
      writer.append(bytes, layout.releases)
    }
    writer.append(bytes, layout.releases.upperBound..<layout.end)
    return writer
  }

  /// The unit as it is, from a byte that is not preceded by a zero, counted without escapes.
  private func tail(from count: Int) -> Slice<UnsafeRawBufferPointer> {
    var (zeros, left, place) = (0, count, escaped.startIndex)
    while left > 0 {
      let byte = escaped[place]
      place += 1
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      left -= 1
    }
    return escaped[place...]
  }
}

extension BitWriter {
  /// ITU-T H.264, 7.3.3.1, for one list.
  fileprivate mutating func append(_ moves: [SliceHeader.Move]?) {
    guard let moves else { return append(0, bits: 1) }
    append(1, bits: 1)
    for move in moves {
      append(unsigned: move.isUpward ? 1 : 0)
      append(unsigned: move.distance - 1)
    }
    append(unsigned: 3)
  }

  /// ITU-T H.264, 7.3.3.3, for a picture that does not reset the decoder.
  fileprivate mutating func append(releases: [Int]?) {
    guard let releases else { return append(0, bits: 1) }
    append(1, bits: 1)
    for distance in releases {
      append(unsigned: 1)
      append(unsigned: distance - 1)
    }
    append(unsigned: 0)
  }
}
