import Media
import Support
import Testing

/// Reading and writing bits.
@Suite(.mayBlock) struct BitsTests {
  @Test func `numbers of any length are read as they were written`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<50 {
      let numbers = (0..<40).map { _ in
        let bits = Int.random(in: 1...32, using: &random)
        return (value: Int.random(in: 0..<1 << bits, using: &random), bits: bits)
      }
      var writer = BitWriter()
      for number in numbers { writer.append(number.value, bits: number.bits) }
      let count = numbers.reduce(0) { $0 + $1.bits }
      #expect(writer.count == count)
      #expect(writer.bytes.count == (count + 7) / 8)
      var reader = BitReader(writer.bytes[...])
      for number in numbers { #expect(reader.number(number.bits) == number.value) }
      #expect(reader.isWithin && reader.place == count)
    }
  }

  @Test func `numbers of variable length are read as they were written`() {
    var random = SeededRandom(seed: 2)
    let numbers =
      [0, 1, 2, 255, 1 << 16, (1 << 32) - 2, (1 << 33) - 2]
      + (0..<200).map { _ in Int.random(in: 0..<1 << Int.random(in: 1...20), using: &random) }
    var writer = BitWriter()
    for number in numbers { writer.append(unsigned: number) }
    var reader = BitReader(writer.bytes[...])
    for number in numbers { #expect(reader.unsigned() == number) }
    #expect(reader.isWithin && reader.place == writer.count)
    // ITU-T H.264, table 9-3.
    var codes = BitWriter()
    for code in 0...6 { codes.append(unsigned: code) }
    var signed = BitReader(codes.bytes[...])
    #expect((0...6).map { _ in signed.signed() } == [0, 1, -1, 2, -2, 3, -3])
  }

  @Test func `ranges of bits are copied from any place to any place`() {
    var random = SeededRandom(seed: 3)
    let source = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
    for _ in 0..<300 {
      let bounds = [0, 0].map { _ in Int.random(in: 0...160, using: &random) }.sorted()
      let shift = Int.random(in: 0...9, using: &random)
      var writer = BitWriter()
      writer.append(1, bits: shift)
      writer.append(source, bounds[0]..<bounds[1])
      #expect(writer.count == shift + bounds[1] - bounds[0])
      var (copy, original) = (BitReader(writer.bytes[...]), BitReader(source[...]))
      copy.skip(shift)
      original.skip(bounds[0])
      #expect((bounds[0]..<bounds[1]).allSatisfy { _ in copy.flag() == original.flag() })
      // The rest of the last byte is free.
      #expect(copy.number((8 - writer.count % 8) % 8) == 0)
    }
  }

  @Test func `the rest of a byte is filled with ones`() {
    var writer = BitWriter()
    writer.append(0, bits: 3)
    writer.align()
    #expect(writer.bytes == [0x1F] && writer.count == 8)
    writer.align()
    #expect(writer.bytes == [0x1F])
  }

  @Test func `zeros are read beyond the end, which the reader notes`() {
    var reader = BitReader([0xFF, 0xFF][1...])
    #expect(reader.number(8) == 255)
    #expect(reader.isWithin)
    #expect(reader.number(32) == 0)
    #expect(!reader.isWithin)
    for bytes in [[], [0], [0, 0, 0, 0, 0, 0, 0, 0, 0xFF], [0, 1]] as [[UInt8]] {
      var reader = BitReader(bytes[...])
      _ = reader.unsigned()
      #expect(!reader.isWithin, "\(bytes)")
      reader = BitReader(bytes[...])
      _ = reader.signed()
      #expect(!reader.isWithin, "\(bytes)")
    }
  }

  @Test func `trailing bits are a one and zeros`() {
    for (bytes, isTrailing) in [
      ([0x80], true), ([0x80, 0], true), ([0], false), ([0xC0], false), ([0x80, 1], false),
      ([], false),
    ] as [([UInt8], Bool)] {
      var reader = BitReader(bytes[...])
      #expect(reader.endsWithTrailingBits() == isTrailing, "\(bytes)")
    }
  }

  @Test func `bytes are the same after escapes are added and removed`() {
    var random = SeededRandom(seed: 4)
    for length in 0..<400 {
      let bytes = (0..<length).map { _ in
        UInt8([0, 0, 0, 0, 1, 2, 3, 3, 4, 255].randomElement(using: &random) ?? 0)
      }
      let unit = UnitEscapes.added(to: bytes)
      #expect(UnitEscapes.removed(from: unit) == bytes)
      // No start code, and no 3 after two zeros other than an escape.
      for place in unit.indices.dropFirst(2) where unit[place - 1] == 0 && unit[place - 2] == 0 {
        #expect(unit[place] >= 3)
        guard unit[place] == 3 else { continue }
        #expect(place + 1 < unit.count && unit[place + 1] <= 3)
      }
    }
  }

  @Test func `escapes are where the standard puts them`() {
    // ITU-T H.264, 7.4.1.
    for (bytes, unit) in [
      ([0, 0, 0], [0, 0, 3, 0]), ([0, 0, 1], [0, 0, 3, 1]), ([0, 0, 2], [0, 0, 3, 2]),
      ([0, 0, 3], [0, 0, 3, 3]), ([0, 0, 4], [0, 0, 4]), ([0, 3, 0, 0], [0, 3, 0, 0]),
      ([0, 0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 3, 0, 1]),
    ] as [([UInt8], [UInt8])] {
      #expect(UnitEscapes.added(to: bytes) == unit)
      #expect(UnitEscapes.removed(from: unit) == bytes)
    }
    // Zeros after the data of a slice end with an escape (7.3.2.10).
    #expect(UnitEscapes.removed(from: [0x80, 0, 0, 3, 0, 0, 3]) == [0x80, 0, 0, 0, 0])
  }

  @Test func `numbers of variable length are found in units with escapes`() {
    for numbers in [[0, 0, 0], [1 << 20, 7, 1 << 16], [(1 << 24) - 1, 0, 3]] {
      var writer = BitWriter()
      writer.append(0x67, bits: 8)
      for number in numbers { writer.append(unsigned: number) }
      let unit = UnitEscapes.added(to: writer.bytes)
      #expect(ExpGolomb.numbers(3, in: unit, after: 1) == numbers)
      #expect(ExpGolomb.first(in: unit, after: 1) == numbers[0])
      for length in unit.indices {
        let found = ExpGolomb.numbers(3, in: Array(unit.prefix(length)), after: 1)
        #expect(found == nil || found == numbers)
      }
    }
  }
}
