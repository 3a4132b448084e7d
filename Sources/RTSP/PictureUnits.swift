/// Reads the types of units in the payloads of a picture (RFC 6184, RFC 7798).
struct PictureUnits {
  private let isH265: Bool

  /// `nil` for encodings whose pictures cannot be told apart.
  init?(_ encoding: String) {
    guard encoding == "H264" || encoding == "H265" else { return nil }
    isH265 = encoding == "H265"
  }

  /// The properties of a picture that decide whether decoding can start with it.
  struct Content: Hashable {
    /// Whether decoding can start with the picture.
    var isKey = false
    /// Whether the picture comes with a sequence parameter set.
    var hasParameterSets = false
  }

  /// The content of the packets of a picture.
  func content(of payloads: some Sequence<[UInt8]>) -> Content {
    var content = Content()
    for payload in payloads {
      for type in types(in: payload) {
        let isSet = type == (isH265 ? 33 : 7)
        content.hasParameterSets = content.hasParameterSets || isSet
        // Pictures with parameter sets that are not marked as keyframes are points of recovery.
        content.isKey = content.isKey || isSet || (isH265 ? (16...21).contains(type) : type == 5)
      }
    }
    return content
  }

  /// Whether a payload can be the first one of a picture: it begins with a delimiter, a parameter set or supplemental
  /// information, or with the first slice.
  func startsPicture(_ payload: [UInt8]) -> Bool {
    guard payload.count > headerSize else { return false }
    let type = type(of: payload[0])
    switch type {
    case isH265 ? 48 : 24: return startsPicture(payload.dropFirst(headerSize + 2))
    case isH265 ? 49 : 28, isH265 ? 49 : 29:
      // Only the first fragment of a unit has the start bit.
      let hasOrder = !isH265 && type == 29
      guard payload[headerSize] & 0x80 != 0 else { return false }
      let fragment = payload.dropFirst(headerSize + 1 + (hasOrder ? 2 : 0))
      return startsPicture(payload[headerSize] & (isH265 ? 0x3F : 0x1F), fragment)
    default: return startsPicture(payload[...])
    }
  }

  private func startsPicture(_ unit: ArraySlice<UInt8>) -> Bool {
    guard let first = unit.first else { return false }
    return startsPicture(type(of: first), unit.dropFirst(headerSize))
  }

  /// Whether a unit can be the first one of a picture (H.264, 7.4.1.2.3; H.265, 7.4.2.4.4).
  private func startsPicture(_ type: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
    if isH265 ? [32, 33, 34, 35, 39].contains(type) : (6...9).contains(type) { return true }
    // The first bit of a slice is set if it is the first one of its picture (`first_mb_in_slice` is 0, or
    // `first_slice_segment_in_pic_flag` is 1).
    let isSlice = isH265 ? type < 32 : (1...5).contains(type)
    return isSlice && content.first.map { $0 & 0x80 != 0 } ?? false
  }

  /// The types of the units in a payload.
  private func types(in payload: [UInt8]) -> [UInt8] {
    guard payload.count > headerSize else { return [] }
    let type = type(of: payload[0])
    switch type {
    case isH265 ? 48 : 24: return aggregated(in: payload)
    // A fragment, which has a header of its own.
    case isH265 ? 49 : 28, isH265 ? 49 : 29: return [payload[headerSize] & (isH265 ? 0x3F : 0x1F)]
    default: return [type]
    }
  }

  private var headerSize: Int { isH265 ? 2 : 1 }

  private func type(of byte: UInt8) -> UInt8 { isH265 ? byte >> 1 & 0x3F : byte & 0x1F }

  /// The types of units of which each follows its length in two bytes.
  private func aggregated(in payload: [UInt8]) -> [UInt8] {
    var types: [UInt8] = []
    var start = headerSize
    while start + 2 < payload.count {
      let length = Int(payload[start]) << 8 | Int(payload[start + 1])
      types.append(type(of: payload[start + 2]))
      start += 2 + length
    }
    return types
  }
}
