/// The out-of-band configuration of an AV1 stream: an `av1C` record (AV1 Codec ISO Media File Format Binding, 2.3), or
/// only units.
struct AV1Configuration {
  /// The sequence header, if there is one.
  private(set) var sequenceHeader: SequenceHeader?
  /// The metadata units, each with its size. They apply from every keyframe on.
  private(set) var metadata: [[UInt8]] = []

  /// The first byte of a record of version 1.
  private static let marker: UInt8 = 0x81
  /// Bytes of a record before its units.
  private static let head = 4

  /// Reads a record, the beginning of a packet, or no bytes; `nil` if the bytes are malformed.
  init?(_ record: [UInt8]) {
    let isRecord = record.first.map { $0 & 0x80 != 0 } ?? false
    guard !isRecord || (record[0] == Self.marker && record.count >= Self.head) else { return nil }
    let isRead = record.dropFirst(isRecord ? Self.head : 0).withUnsafeBytes { bytes in
      var place = 0
      while place < bytes.count {
        guard let unit = OpenBitstreamUnit(at: place, in: bytes), take(unit, of: bytes) else {
          return false
        }
        place = unit.whole.upperBound
      }
      return true
    }
    guard isRead else { return nil }
  }

  private mutating func take(_ unit: OpenBitstreamUnit, of bytes: UnsafeRawBufferPointer) -> Bool {
    switch unit.kind {
    case .sequenceHeader:
      guard let header = SequenceHeader(payload: bytes[unit.payload]),
        sequenceHeader == nil || sequenceHeader == header
      else { return false }
      sequenceHeader = header
    case .metadata:
      metadata.append(OpenBitstreamUnit.bytes(.metadata, payload: bytes[unit.payload]))
    default: break
    }
    return true
  }

  /// The record for packets that use these sequence headers, whose forms can be joined; `nil` if there are none.
  ///
  /// It states the highest level of all. It contains the header if there is only one. Otherwise each keyframe brings
  /// its own header, and the record states the chroma location only if all headers agree on it.
  static func record(of headers: [SequenceHeader]) -> [UInt8]? {
    guard let first = headers.first else { return nil }
    let form = first.form
    let positions = Set(headers.map(\.form.chromaPosition))
    let level = headers.map(\.level).max() ?? first.level
    var picture = headers.contains(where: \.isHighTier) ? UInt8(0x80) : 0
    if form.bitDepth > 8 { picture |= 0x40 }
    if form.bitDepth > 10 { picture |= 0x20 }
    if form.isMonochrome { picture |= 0x10 }
    if form.halvesColumns { picture |= 8 }
    if form.halvesRows { picture |= 4 }
    if positions.count == 1 { picture |= UInt8(form.chromaPosition & 3) }
    let record = [marker, UInt8(form.profile) << 5 | UInt8(level & 0x1F), picture, 0]
    return headers.count == 1 ? record + first.bytes : record
  }
}
