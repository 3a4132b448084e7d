import CFFmpeg
import Timeline

/// Puts packets of a source into the form that chunks have: units with lengths of four bytes, and parameter sets in band
/// before every keyframe.
public struct PacketRewriter: Sendable {
  private let sets: ParameterSets?
  /// The parameter sets as a chunk's manifest has them: with start codes; what the stream has of other codecs.
  public let parameterSets: [UInt8]
  /// What the chunk has out of band.
  public let record: [UInt8]

  /// A rewriter of a stream's packets.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec` where parameter sets are missing.
  public init(_ parameters: StreamParameters, named name: String) throws {
    let own = parameters.parameterSets
    guard UnitLayout(codec: parameters.codec, parameterSets: own) != nil else {
      (sets, parameterSets, record) = (nil, own, own)
      return
    }
    guard let sets = ParameterSets(codec: parameters.codec, record: own),
      let record = sets.record(format: parameters.pixelFormat)
    else {
      throw MediaError(
        .unsupportedCodec, "the stream does not declare its parameter sets", on: name,
        remedy: "choose another preset than passthrough")
    }
    self.sets = sets
    self.record = record
    parameterSets = sets.annexB
  }

  /// A packet of the same content without anything that its container noted.
  public func rewrite(_ packet: Packet) throws -> Packet {
    guard let sets else { return try packet.withUnsafeBytes { try Packet(bytes: Array($0)) } }
    return try packet.withUnsafeBytes { bytes in
      let units = sets.layout.units(in: bytes)
      let hasSets = units.contains { sets.layout.isParameterSet(bytes[$0.lowerBound]) }
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 512)
      var isMissing = packet.isKey && !hasSets
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
      return try Packet(bytes: result)
    }
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
