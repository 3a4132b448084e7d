/// The parameter sets of H.264 or H.265 in order, each a unit without its length.
struct ParameterSets: Hashable, Sendable {
  /// The layout of the packets that use the sets.
  let layout: UnitLayout
  /// The units in the order given.
  private(set) var units: [[UInt8]]
  /// The fields of an H.265 record before its sets.
  private(set) var header: [UInt8] = []

  /// The out-of-band sets of a stream; `nil` for other codecs, or if it has none.
  init?(codec: String, record: [UInt8]) {
    guard let layout = UnitLayout(codec: codec, parameterSets: record) else { return nil }
    self.layout = layout
    units = []
    if layout.lengthSize == nil {
      units = record.withUnsafeBytes { bytes in
        layout.units(in: bytes).map { Array(bytes[$0]) }
      }
    } else if layout.isHEVC {
      header = Array(record.prefix(22))
      readHEVC(record)
    } else {
      readAVC(record)
    }
    units.removeAll { !layout.isParameterSet($0[0]) }
    guard Set(units.map { layout.kind($0[0]) }).isSuperset(of: layout.required) else { return nil }
  }

  /// ISO/IEC 14496-15, 5.3.3.1.2: sequence sets, counted by five bits, then picture sets.
  private mutating func readAVC(_ record: [UInt8]) {
    var place = 5
    for mask in [UInt8(0x1F), 0xFF] {
      guard place < record.count else { return }
      let count = Int(record[place] & mask)
      place += 1
      for _ in 0..<count { guard readUnit(of: record, at: &place) else { return } }
    }
  }

  /// ISO/IEC 14496-15, 8.3.3.1.2: arrays of units, each of one kind.
  private mutating func readHEVC(_ record: [UInt8]) {
    guard record.count > 22 else { return }
    var place = 23
    for _ in 0..<record[22] {
      guard place + 3 <= record.count else { return }
      let count = Int(record[place + 1]) << 8 | Int(record[place + 2])
      place += 3
      for _ in 0..<count { guard readUnit(of: record, at: &place) else { return } }
    }
  }

  private mutating func readUnit(of record: [UInt8], at place: inout Int) -> Bool {
    guard place + 2 <= record.count else { return false }
    let length = Int(record[place]) << 8 | Int(record[place + 1])
    guard length > 0, place + 2 + length <= record.count else { return false }
    units.append(Array(record[place + 2..<place + 2 + length]))
    place += 2 + length
    return true
  }

  /// The units with Annex B start codes.
  var annexB: [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

  /// The units with lengths of four bytes.
  var lengthPrefixed: [UInt8] {
    var bytes: [UInt8] = []
    for unit in units { bytes.append(unit: unit) }
    return bytes
  }

  /// Whether the build of x264 that a stream names changes how its pictures are decoded.
  var dependOnX264Build: Bool { units.contains(where: layout.isPredictive444) }

  /// The id of a set (ITU-T H.264, 7.3.2.1.1 and 7.3.2.2). For H.265, the usual id 0 is assumed.
  private func id(of unit: [UInt8]) -> Int? {
    guard !layout.isHEVC else { return 0 }
    let kind = layout.kind(unit[0])
    return ExpGolomb.first(in: unit, after: kind == UnitLayout.sequenceSet ? 4 : 1)
  }

  /// Adds the sets of another stream, except those whose id is already taken by a different set.
  ///
  /// - Returns: whether these now include every set of that stream.
  mutating func add(_ other: ParameterSets) -> Bool {
    var isComplete = true
    for unit in other.units where !units.contains(unit) {
      let isTaken = units.contains {
        layout.kind($0[0]) == layout.kind(unit[0]) && id(of: $0) == id(of: unit)
      }
      if isTaken { isComplete = false } else { units.append(unit) }
    }
    if header.isEmpty { header = other.header }
    return isComplete
  }

  /// Whether these include every set of another stream.
  func holds(_ other: ParameterSets) -> Bool { other.units.allSatisfy(units.contains) }

  /// The record in a sample description, for lengths of four bytes.
  ///
  /// - Parameter format: the format of the pictures, which the record of H.264's higher profiles states.
  /// - Returns: `nil` if the sets are cut short.
  func record(format: PixelFormat) -> [UInt8]? {
    layout.isHEVC ? hevcRecord(format) : avcRecord(format)
  }

  private func avcRecord(_ format: PixelFormat) -> [UInt8]? {
    let sequence = units.filter { layout.kind($0[0]) == UnitLayout.sequenceSet && $0.count > 3 }
    let picture = units.filter { layout.kind($0[0]) == UnitLayout.pictureSet }
    guard let profile = sequence.max(by: { $0[1] < $1[1] }), sequence.count < 32,
      let level = sequence.map({ $0[3] }).max(), picture.count < 256
    else { return nil }
    var record: [UInt8] = [1, profile[1], profile[2], level, 0xFF, 0xE0 | UInt8(sequence.count)]
    record += sequence.flatMap(Self.counted) + [UInt8(picture.count)]
    record += picture.flatMap(Self.counted)
    if ![66, 77, 88].contains(profile[1]) {
      let depth = UInt8(max(format.bitDepth - 8, 0))
      record += [0xFC | format.chromaFormat, 0xF8 | depth, 0xF8 | depth, 0]
    }
    return record
  }

  private func hevcRecord(_ format: PixelFormat) -> [UInt8]? {
    guard var record = header.count == 22 ? header : hevcHeader(format) else { return nil }
    record[21] |= 3
    let kinds = layout.required.sorted()
    record.append(UInt8(kinds.count))
    for kind in kinds {
      let members = units.filter { layout.kind($0[0]) == kind }
      record += [kind, UInt8(members.count >> 8 & 0xFF), UInt8(members.count & 0xFF)]
      record += members.flatMap(Self.counted)
    }
    return record
  }

  /// The fields of a record before its sets (ISO/IEC 14496-15, 8.3.3.1.2), from the sequence set, which begins with the
  /// profile, its compatibilities and constraints, and the level (ITU-T H.265, 7.3.2.2.1 and 7.3.3). The fields about
  /// parallel decoding and the frame rate are 0: unknown.
  private func hevcHeader(_ format: PixelFormat) -> [UInt8]? {
    guard let unit = units.first(where: { layout.kind($0[0]) == 33 }) else { return nil }
    let sequence = UnitEscapes.removed(from: unit.prefix(32))
    guard sequence.count > 15 else { return nil }
    let depth = UInt8(max(format.bitDepth - 8, 0))
    let (layers, isNested) = (sequence[2] >> 1 & 7 + 1, sequence[2] & 1)
    return [1] + sequence[3..<15]
      + [0xF0, 0, 0xFC, 0xFC | format.chromaFormat, 0xF8 | depth, 0xF8 | depth, 0, 0]
      + [layers << 3 | isNested << 2]
  }

  private static func counted(_ unit: [UInt8]) -> [UInt8] {
    [UInt8(unit.count >> 8 & 0xFF), UInt8(unit.count & 0xFF)] + unit
  }
}

extension [UInt8] {
  /// Appends a unit with a length of four bytes.
  mutating func append(unit: some Collection<UInt8>) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
    append(contentsOf: unit)
  }
}

extension UnitLayout {
  /// A sequence parameter set of H.264.
  static let sequenceSet: UInt8 = 7
  /// A picture parameter set of H.264.
  static let pictureSet: UInt8 = 8

  /// The kinds of parameter sets without which nothing decodes (ITU-T H.264, table 7-1, and H.265, table 7-1).
  var required: Set<UInt8> { isHEVC ? [32, 33, 34] : [Self.sequenceSet, Self.pictureSet] }

  /// Whether a unit is a sequence parameter set of H.264's profile High 4:4:4 Predictive (ITU-T H.264, A.2.11).
  func isPredictive444(_ unit: [UInt8]) -> Bool {
    !isHEVC && unit.count > 1 && kind(unit[0]) == Self.sequenceSet && unit[1] == 244
  }

  /// Whether a unit with this first byte is a parameter set.
  func isParameterSet(_ first: UInt8) -> Bool {
    required.contains(kind(first)) || (!isHEVC && kind(first) == 13)
  }
}
