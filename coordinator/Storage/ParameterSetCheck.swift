import Foundation
import Timeline

/// Checks the parameter sets in a chunk's manifest.
package enum ParameterSetCheck {
  /// Whether the bytes are parameter sets of a codec.
  ///
  /// Those of H.264 and H.265 are in Annex B form: at least one of each kind and nothing else (ITU-T H.264, table 7-1,
  /// and H.265, table 7-1), except that H.265's may include HDR metadata (annex D). AV1's are a sequence header, an OBU
  /// of type 1 with its size (AV1 bitstream, 5.3.2). The other codecs have none.
  package static func areValid(_ bytes: Data, of codec: VideoSettings.Codec = .h264) -> Bool {
    let headers = unitHeaders([UInt8](bytes))
    switch codec {
    case .h264:
      let types = headers.map { $0 & 0x1F }
      let (sequence, picture, sequenceExtension): (UInt8, UInt8, UInt8) = (7, 8, 13)
      return types.contains(sequence) && types.contains(picture)
        && types.allSatisfy { [sequence, picture, sequenceExtension].contains($0) }
    case .hevc:
      let types = headers.map { $0 >> 1 & 0x3F }
      let (video, sequence, picture, information): (UInt8, UInt8, UInt8, UInt8) = (32, 33, 34, 39)
      return Set(types).subtracting([information]) == [video, sequence, picture]
    case .av1: return bytes.first == 0x0A
    case .vp9, .prores: return true
    }
  }

  /// The first byte of each unit that follows a start code.
  private static func unitHeaders(_ bytes: [UInt8]) -> [UInt8] {
    var headers: [UInt8] = []
    var zeros = 0
    for (index, byte) in bytes.enumerated() {
      if byte == 1, zeros >= 2, index + 1 < bytes.count { headers.append(bytes[index + 1]) }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return headers
  }
}
