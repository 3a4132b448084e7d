import Media
import Support
import Testing

/// Parameter sets and slices of H.264, read and rewritten.
@Suite(.mayBlock) struct SliceUnitTests {
  private typealias Changes = OpenGroupRewriter.Changes

  /// Reads a slice and passes it to `body`; `nil` if it cannot be read.
  private func reading<Result>(
    _ unit: [UInt8], _ sets: PictureSets, _ body: (SliceUnit) -> Result
  ) -> Result? {
    unit.withUnsafeBytes { SliceUnit($0[...], sets).map(body) }
  }

  /// A slice after a change to its header.
  private func rewritten(_ unit: [UInt8], _ sets: PictureSets, _ changes: Changes) -> [UInt8]? {
    reading(unit, sets) { $0.rewritten(changes) }
  }

  /// Changes that state what a header already says.
  private func same(_ header: SliceHeader, withReferences: Bool) -> Changes {
    Changes(
      number: header.number, order: header.order,
      references: withReferences
        ? .init(moves: header.moves, releases: header.releases) : nil)
  }

  /// The bits of a slice after its header, up to its last one.
  private func data(_ unit: [UInt8], after header: SliceHeader) -> [Bool] {
    let bytes = UnitEscapes.removed(from: unit)
    let start = header.layout.end
    let first = header.picture.isArithmetic ? (start + 7) / 8 * 8 : start
    var reader = BitReader(bytes[...])
    reader.skip(first)
    let bits = (first..<bytes.count * 8).map { _ in reader.flag() }
    return Array(bits.prefix((bits.lastIndex(of: true) ?? -1) + 1))
  }

  @Test(arguments: TinyStream.options)
  func `a slice whose fields do not change stays the same`(options: String) throws {
    let stream = try TinyStream(options)
    let slices = stream.units(of: 1)
    #expect(slices.count >= 22)
    for (number, unit) in slices.enumerated() {
      let header = try #require(reading(unit, stream.sets, \.header), "slice \(number)")
      for withReferences in [false, true] {
        let copy = rewritten(unit, stream.sets, same(header, withReferences: withReferences))
        #expect(copy == unit, "slice \(number)")
      }
    }
    if options.contains("ref=4") {
      let headers = slices.compactMap { reading($0, stream.sets, \.header) }
      #expect(headers.contains { $0.moves.contains { $0 != nil } })
      #expect(headers.contains { $0.releases != nil })
    }
  }

  @Test(arguments: TinyStream.options)
  func `a slice has its changed fields, and the same data after them`(options: String) throws {
    let stream = try TinyStream(options)
    for (number, unit) in stream.units(of: 1).enumerated() {
      let old = try #require(reading(unit, stream.sets, \.header))
      // Lists of another length move all that follows, by one to seven bits in some slices.
      var changes = Changes(
        number: (old.number + 1) & (old.sequence.numberCount - 1),
        order: old.sequence.orderBits == nil ? 0 : old.order ^ 2,
        references: .init(
          moves: old.moves.map { _ in [.init(isUpward: false, distance: 1 + number)] },
          releases: old.isReference ? [1 + number % 3] : nil))
      changes.isReset = old.prediction == .within
      let new = try #require(rewritten(unit, stream.sets, changes))
      let header = try #require(reading(new, stream.sets, \.header))
      #expect(header.number == changes.number && header.order == changes.order)
      #expect(header.moves == changes.references?.moves)
      #expect(header.releases == (changes.isReset ? nil : changes.references?.releases))
      #expect(header.isReset == changes.isReset)
      #expect(header.prediction == old.prediction && header.fieldDistance == old.fieldDistance)
      #expect(data(new, after: header) == data(unit, after: old), "slice \(number)")
    }
  }

  @Test(arguments: TinyStream.options)
  func `the beginning of a unit means the same as the unit, or nothing`(options: String) throws {
    let stream = try TinyStream(options)
    for unit in stream.units(of: 7) {
      let whole = try #require(SequenceParameters(unit))
      for length in unit.indices {
        let set = SequenceParameters(Array(unit.prefix(length)))
        #expect(set == nil || set == whole, "\(length) bytes")
        #expect(length > 4 || set == nil)
      }
    }
    for unit in stream.units(of: 8) {
      let whole = try #require(PictureParameters(unit))
      for length in unit.indices {
        let set = PictureParameters(Array(unit.prefix(length)))
        #expect(set == nil || set == whole, "\(length) bytes")
        #expect(length > 1 || set == nil)
      }
    }
    for unit in (stream.units(of: 5) + stream.units(of: 1)).prefix(10) {
      let whole = try #require(reading(unit, stream.sets, \.header))
      for length in 0..<min(unit.count, 120) {
        let beginning = Array(unit.prefix(length))
        let header = reading(beginning, stream.sets, \.header)
        #expect(header == nil || header == whole, "\(length) bytes")
        guard !whole.isReset, header != nil else { continue }
        // Whatever is left of the data, all of it is there after rewriting.
        let changes = same(whole, withReferences: true)
        let copy = try #require(rewritten(beginning, stream.sets, changes))
        #expect(data(copy, after: whole) == data(beginning, after: whole), "\(length) bytes")
      }
    }
    #expect(reading([], stream.sets, \.header) == nil)
    #expect(reading(stream.units(of: 1)[0], PictureSets(), \.header) == nil)
  }

  @Test func `escapes at the end of the bytes in which a header is looked for stay in place`()
    throws
  {
    // A header is looked for in 96 bytes.
    for place in 85..<100 {
      for escape in [[0, 0, 3, 1], [0, 0, 3, 3], [0, 0, 3, 0, 0, 3, 2]] as [[UInt8]] {
        var slice = HandmadeSlice(kind: 0, number: 3)
        slice.data = []
        let filler = [UInt8](repeating: 0x5A, count: place - slice.unit.count)
        let unit = slice.unit + filler + escape + [UInt8](repeating: 0xA5, count: 40) + [0x80]
        let header = try #require(reading(unit, slice.sets, \.header))
        #expect(
          rewritten(unit, slice.sets, same(header, withReferences: true)) == unit, "at \(place)")
        var changes = same(header, withReferences: false)
        changes.number = 9
        slice.number = 9
        #expect(
          rewritten(unit, slice.sets, changes) == slice.unit + unit[(place - filler.count)...],
          "at \(place)")
      }
    }
  }

  @Test func `data that is zero up to the cut is kept`() throws {
    for zeros in [80, 86, 90, 94, 120] {
      var slice = HandmadeSlice(kind: 0)
      slice.data = [UInt8](repeating: 0, count: zeros) + [0x80]
      let header = try #require(slice.header)
      let unit = slice.unit
      #expect(rewritten(unit, slice.sets, same(header, withReferences: true)) == unit)
    }
  }

  @Test func `slices of separate colors are read`() throws {
    let slice = HandmadeSlice(kind: 0, number: 5, order: 6, separatesColors: true)
    let set = try #require(SequenceParameters(slice.sequenceSet))
    #expect(set.separatesColors && set.chroma == 0)
    #expect(set.numberBits == 4 && set.orderBits == 4)
    #expect(set.mostReferences == 4 && set.hasOnlyFrames)
    let header = try #require(reading(slice.unit, slice.sets, \.header))
    #expect(header.number == 5 && header.order == 6)
    let unit = slice.unit
    #expect(rewritten(unit, slice.sets, same(header, withReferences: true)) == unit)
    let joined = try #require(SequenceParameters(HandmadeSlice().sequenceSet))
    #expect(!joined.separatesColors && joined.chroma == 1)
    for length in slice.sequenceSet.indices {
      let beginning = SequenceParameters(Array(slice.sequenceSet.prefix(length)))
      #expect(beginning == nil || beginning == set)
    }
  }
}
