import CFFmpeg

/// A stream's Dolby Vision configuration in the container (`dvcC`, `dvvC` and `dvwC`: Dolby Vision Streams Within the
/// ISO Base Media File Format, 3.2).
struct DolbyVision: Hashable {
  let profile: Int
  /// The format that the base layer is compatible with: 0 is none, 1 HDR10, 2 BT.709, 4 HLG, 6 Ultra HD Blu-ray.
  let compatibility: Int
  /// Whether the stream has the base layer.
  let hasBase: Bool

  /// Reads the configuration of a stream. Returns `nil` if it has none.
  init?(of stream: UnsafeMutablePointer<AVStream>) {
    var size = 0
    guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, &size),
      size >= MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
    else { return nil }
    let record = UnsafeRawPointer(data)
      .loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self)
    profile = Int(record.dv_profile)
    compatibility = Int(record.dv_bl_signal_compatibility_id)
    hasBase = record.bl_present_flag != 0
  }

  /// Whether the pictures match their color tags without Dolby Vision's enhancement.
  var hasCompatibleBase: Bool {
    // The base layers of profiles 4, 7 and 9 always match; that of 5 never does.
    hasBase && profile != 5 && (compatibility != 0 || [4, 7, 9].contains(profile))
  }

  /// The reason why a stream cannot be shown; `nil` if it has a compatible base layer.
  var refusal: String? {
    guard !hasCompatibleBase else { return nil }
    return hasBase
      ? Self.refusal(ofProfile: profile)
      : "is an enhancement layer of Dolby Vision profile \(profile)"
  }
}

extension DolbyVision {
  /// The Dolby Vision metadata in the packets of an H.265 stream (RPU: units of type 62). It describes the base layer
  /// if the container has no configuration. The fields are those from which libavcodec guesses the profile
  /// (`dovi_rpu.c`).
  enum Metadata: Hashable {
    /// Metadata for a base layer of full range in Dolby's own color space: profile 5.
    case ownColors
    /// Metadata of a profile whose base layer can be shown without it: 4, 7 or 8.
    case compatible
    /// Metadata from which the profile cannot be determined.
    case unknown

    /// The type of the units that hold it.
    private static let unitKind: UInt8 = 62
    /// The number of bytes that contain all fields that are read.
    private static let headerSize = 32

    /// Reads the metadata in a packet. Returns `nil` if it has none.
    init?(in packet: Packet, layout: UnitLayout) {
      let header = packet.withUnsafeBytes { bytes in
        Self.header(in: bytes, layout: layout)
      }
      guard let unit = header else { return nil }
      self.init(unit: unit)
    }

    /// The start of the unit that holds the metadata.
    private static func header(in bytes: UnsafeRawBufferPointer, layout: UnitLayout) -> [UInt8]? {
      for unit in layout.units(in: bytes) where layout.kind(bytes[unit.lowerBound]) == unitKind {
        return Array(bytes[unit].prefix(headerSize))
      }
      return nil
    }

    /// Reads the start of a unit.
    private init(unit: [UInt8]) {
      // Two bytes of unit header, and a prefix.
      guard unit.count > 3, unit[2] == 0x19 else {
        self = .unknown
        return
      }
      var reader = BitReader(UnitEscapes.removed(from: unit.dropFirst(3))[...])
      let type = reader.number(6)
      reader.skip(11)
      let profile = reader.number(4)
      reader.skip(4)
      let hasSequenceFields = reader.flag()
      reader.skip(1)
      // Coefficients in fixed point have a denominator.
      if reader.number(2) == 0 { reader.skipVariable() }
      reader.skip(2)
      let isFullRange = reader.flag()
      guard type == 2, hasSequenceFields, reader.isWithin else {
        self = .unknown
        return
      }
      switch profile {
      case 0: self = isFullRange ? .ownColors : .unknown
      case 1: self = .compatible
      default: self = .unknown
      }
    }

    /// The reason why a stream with the metadata cannot be shown; `nil` if it can.
    ///
    /// - Parameter statesTransfer: whether the stream states how code values map to light. Streams of profile 5 do not.
    func refusal(statesTransfer: Bool) -> String? {
      switch self {
      case .ownColors: DolbyVision.refusal(ofProfile: 5)
      case .compatible: nil
      case .unknown:
        statesTransfer
          ? nil
          : "has Dolby Vision metadata, but states neither a profile nor a color transfer, so its colors are unknown"
      }
    }
  }

  fileprivate static func refusal(ofProfile profile: Int) -> String {
    "has Dolby Vision profile \(profile), whose colors only a Dolby Vision decoder can show correctly"
  }
}
