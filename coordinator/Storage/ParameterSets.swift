import Foundation

/// What a chunk's manifest says of its parameter sets.
package enum ParameterSets {
  /// Whether the bytes are H.264 parameter sets in Annex B form: at least one of each kind and nothing else
  /// (ITU-T H.264, Annex B and table 7-1).
  package static func areValid(_ bytes: Data) -> Bool {
    let types = unitTypes([UInt8](bytes))
    let sequence: UInt8 = 7
    let picture: UInt8 = 8
    let sequenceExtension: UInt8 = 13
    return types.contains(sequence) && types.contains(picture)
      && types.allSatisfy { [sequence, picture, sequenceExtension].contains($0) }
  }

  /// The type of each unit that a start code announces.
  private static func unitTypes(_ bytes: [UInt8]) -> [UInt8] {
    var types: [UInt8] = []
    var zeros = 0
    for (index, byte) in bytes.enumerated() {
      if byte == 1, zeros >= 2, index + 1 < bytes.count { types.append(bytes[index + 1] & 0x1F) }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return types
  }
}
