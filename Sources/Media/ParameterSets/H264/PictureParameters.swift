/// The fields of a picture parameter set that the headers of slices depend on (ITU-T H.264, 7.3.2.2).
package struct PictureParameters: Hashable, Sendable {
  /// The number by which slices refer to the set.
  package let id: Int
  /// The id of the sequence set that it refers to.
  package let sequence: Int
  /// Whether slices are coded by CABAC, so that their data begins at a whole byte.
  package let isArithmetic: Bool
  /// Whether the fields of a frame have separate places in presentation order.
  package let hasFieldOrder: Bool
  /// The usual number of active references in each of the two lists.
  package let activeReferences: [Int]
  /// Whether the headers of P slices have weights.
  package let isWeighted: Bool
  /// Whether the headers of B slices have weights.
  package let isWeightedTwice: Bool
  /// Whether headers control the deblocking filter.
  package let hasDeblocking: Bool

  /// Reads a unit; `nil` if it is cut short, or has groups of slices or redundant pictures.
  package init?(_ unit: [UInt8]) {
    var reader = BitReader(UnitEscapes.removed(from: unit.prefix(64))[...])
    reader.skip(8)
    id = reader.unsigned()
    sequence = reader.unsigned()
    isArithmetic = reader.flag()
    hasFieldOrder = reader.flag()
    let groups = reader.unsigned()
    activeReferences = [reader.unsigned() + 1, reader.unsigned() + 1]
    isWeighted = reader.flag()
    isWeightedTwice = reader.number(2) == 1
    _ = (reader.signed(), reader.signed(), reader.signed())
    hasDeblocking = reader.flag()
    reader.skip(1)
    let hasRedundancy = reader.flag()
    guard reader.isWithin, groups == 0, !hasRedundancy, activeReferences.allSatisfy({ $0 <= 32 })
    else { return nil }
  }
}
