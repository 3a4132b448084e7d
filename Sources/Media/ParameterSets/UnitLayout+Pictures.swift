extension UnitLayout {
  /// An H.264 unit of supplemental enhancement information (ITU-T H.264, annex D).
  static let supplementalInformation: UInt8 = 6

  /// The kinds of H.265's random access pictures: BLA, IDR and CRA (ITU-T H.265, table 7-1).
  static let randomAccess: ClosedRange<UInt8> = 16...21
  /// The kinds of H.265's leading pictures, RADL and RASL. They follow a random access picture, are presented before
  /// it, and only leading pictures refer to them (ITU-T H.265, 7.4.2.2).
  static let leading: ClosedRange<UInt8> = 6...9
  /// The kind of H.265's random access picture without leading pictures, after which nothing refers to what came before
  /// it: BLA_N_LP.
  static let brokenLink: UInt8 = 18

  /// Whether a unit of the given kind is part of a picture.
  func isPicture(_ kind: UInt8) -> Bool { isHEVC ? kind < 32 : (1...5).contains(kind) }

  /// A packet's units before the first one of its picture.
  func leadingUnits(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let lengthSize else {
      return Self.startCodeUnits(in: bytes) { isPicture(kind($0)) }
    }
    var units: [Range<Int>] = []
    var place = 0
    while place + lengthSize < bytes.count {
      let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      place += lengthSize
      guard length <= bytes.count - place else { break }
      if length > 0 {
        units.append(place..<place + length)
        if isPicture(kind(bytes[place])) { break }
      }
      place += length
    }
    return units
  }

  /// The memory that a parameter set changes.
  func memory(_ unit: [UInt8]) -> DecoderMemory {
    let kind = kind(unit.first ?? 0)
    // ITU-T H.265, 7.3.2.3.1: picture parameter sets start with their id. Other sets are assumed to exist once per
    // kind.
    let place: Int? = isHEVC ? (kind == 34 ? 2 : nil) : (kind == Self.sequenceSet ? 4 : 1)
    let id = place.flatMap { ExpGolomb.first(in: unit, after: $0) } ?? 0
    return .parameterSet(kind: kind, id: id)
  }
}
