/// What the payloads of a picture contain (RFC 6184, RFC 7798).
struct PictureUnits {
  private let isH265: Bool

  /// `nil` for encodings whose pictures cannot be told apart.
  init?(_ encoding: String) {
    guard encoding == "H264" || encoding == "H265" else { return nil }
    isH265 = encoding == "H265"
  }

  /// What matters in a picture.
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
