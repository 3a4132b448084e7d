import CFFmpeg
import Timeline

/// Puts packets of a source into the form that chunks have: units with lengths of four bytes, and parameter sets in band
/// before every keyframe.
public struct PacketRewriter: Sendable {
  private let form: Form
  /// The parameter sets as a chunk's manifest has them: with start codes; AV1's sequence header; what the stream has of
  /// other codecs.
  public let parameterSets: [UInt8]
  /// The chunk's out-of-band configuration.
  public let record: [UInt8]

  /// How a codec's packets are made up.
  private enum Form {
    case units(ParameterSets)
    case temporalUnits(TemporalUnitRewriter)
    case whole
  }

  /// A rewriter of a stream's packets from one on, which is the `first` of the copy.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec` where parameter sets are missing.
  public init(_ parameters: StreamParameters, from first: Packet, named name: String) throws {
    let own = parameters.parameterSets
    if parameters.codec == "av1" {
      let rewriter = first.withUnsafeBytes { TemporalUnitRewriter(record: own, first: $0) }
      guard let rewriter else { throw Self.undeclared(name) }
      form = .temporalUnits(rewriter)
      (parameterSets, record) = (rewriter.sequenceHeader.bytes, rewriter.record)
      return
    }
    guard UnitLayout(codec: parameters.codec, parameterSets: own) != nil else {
      (form, parameterSets, record) = (.whole, own, own)
      return
    }
    guard let sets = ParameterSets(codec: parameters.codec, record: own),
      let record = sets.record(format: parameters.pixelFormat)
    else { throw Self.undeclared(name) }
    form = .units(sets)
    self.record = record
    parameterSets = sets.annexB
  }

  private static func undeclared(_ name: String) -> MediaError {
    MediaError(
      .unsupportedCodec, "the stream does not declare its parameter sets", on: name,
      remedy: "choose another preset than passthrough")
  }

  /// A packet of the same content without anything that its container noted, but whether it is a keyframe.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if its bytes are not of the codec.
  public func rewrite(_ packet: Packet) throws -> Packet {
    let (bytes, isKey) = try packet.withUnsafeBytes { bytes -> (bytes: [UInt8], isKey: Bool) in
      switch form {
      case .whole: return (Array(bytes), packet.isKey)
      case .units(let sets):
        return (Self.rewrite(bytes, with: sets, isKey: packet.isKey), packet.isKey)
      case .temporalUnits(let rewriter):
        guard let unit = rewriter.rewrite(bytes) else {
          throw MediaError(
            .damaged, "a packet is not of AV1", on: "a temporal unit",
            remedy: "the file is damaged or was changed; copy it again")
        }
        return unit
      }
    }
    let copy = try Packet(bytes: bytes)
    copy.isKey = isKey
    return copy
  }

  private static func rewrite(
    _ bytes: UnsafeRawBufferPointer, with sets: ParameterSets, isKey: Bool
  ) -> [UInt8] {
    let units = sets.layout.units(in: bytes)
    let hasSets = units.contains { sets.layout.isParameterSet(bytes[$0.lowerBound]) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 512)
    var isMissing = isKey && !hasSets
    for unit in units {
      // A delimiter comes before everything else in its frame.
      if isMissing, !sets.layout.isDelimiter(bytes[unit.lowerBound]) {
        result += sets.lengthPrefixed
        isMissing = false
      }
      for shift in [24, 16, 8, 0] {
        result.append(UInt8(truncatingIfNeeded: unit.count >> shift))
      }
      result += bytes[unit]
    }
    return result
  }
}

extension UnitLayout {
  /// Whether a unit that begins so is an access unit delimiter.
  fileprivate func isDelimiter(_ first: UInt8) -> Bool { kind(first) == (isHEVC ? 35 : 9) }

  /// Whether a keyframe resets the decoder, so that frames from elsewhere may come before it: an IDR picture.
  func isReset(_ packet: Packet) -> Bool {
    packet.withUnsafeBytes { bytes in
      let kinds = units(in: bytes).map { kind(bytes[$0.lowerBound]) }
      let first = kinds.first { isHEVC ? $0 < 32 : (1...5).contains($0) }
      return isHEVC ? first == 19 || first == 20 : first == 5
    }
  }
}
