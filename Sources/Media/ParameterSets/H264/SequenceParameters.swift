/// The fields of a sequence parameter set that the headers of slices and the order of pictures depend on (ITU-T H.264,
/// 7.3.2.1.1).
package struct SequenceParameters: Hashable, Sendable {
  /// The set's id.
  package let id: Int
  /// How chroma is coded with luma: 0 if it is not (`ChromaArrayType`).
  package let chroma: Int
  /// Whether each color has its own slices.
  package let separatesColors: Bool
  /// The number of bits of a frame number.
  package let numberBits: Int
  /// The number of bits of a picture's place in presentation order; `nil` if pictures are presented as they are
  /// decoded.
  package let orderBits: Int?
  /// The most reference pictures that a decoder keeps.
  package let mostReferences: Int
  /// Whether all pictures are frames without separate fields.
  package let hasOnlyFrames: Bool

  /// The number of distinct frame numbers.
  package var numberCount: Int { 1 << numberBits }

  /// Profiles whose sets state the chroma format.
  private static let high: Set<Int> = [
    44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244,
  ]

  /// Reads a unit; `nil` if it is cut short, or allows gaps in the frame numbers, or derives the order of pictures from
  /// those numbers.
  package init?(_ unit: [UInt8]) {
    var reader = BitReader(UnitEscapes.removed(from: unit)[...])
    reader.skip(8)
    let profile = reader.number(8)
    reader.skip(16)
    id = reader.unsigned()
    var (chroma, separatesColors) = (1, false)
    if Self.high.contains(profile) {
      chroma = reader.unsigned()
      if chroma == 3 { separatesColors = reader.flag() }
      _ = (reader.unsigned(), reader.unsigned())
      reader.skip(1)
      if reader.flag() {
        for list in 0..<(chroma == 3 ? 12 : 8) where reader.flag() {
          Self.skipScalingList(of: list < 6 ? 16 : 64, &reader)
        }
      }
    }
    self.chroma = separatesColors ? 0 : chroma
    self.separatesColors = separatesColors
    numberBits = reader.unsigned() + 4
    switch reader.unsigned() {
    case 0: orderBits = reader.unsigned() + 4
    case 2: orderBits = nil
    default: return nil
    }
    mostReferences = max(reader.unsigned(), 1)
    let skipsNumbers = reader.flag()
    _ = (reader.unsigned(), reader.unsigned())
    hasOnlyFrames = reader.flag()
    guard reader.isWithin, !skipsNumbers, numberBits <= 16, orderBits ?? 4 <= 16,
      mostReferences <= 16
    else { return nil }
  }

  /// ITU-T H.264, 7.3.2.1.1.1.
  private static func skipScalingList(of size: Int, _ reader: inout BitReader) {
    var (last, next) = (8, 8)
    for _ in 0..<size {
      if next != 0 { next = (last + reader.signed()) & 0xFF }
      if next != 0 { last = next }
    }
  }
}
