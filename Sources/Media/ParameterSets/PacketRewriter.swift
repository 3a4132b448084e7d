import CFFmpeg
import Timeline

/// Converts packets of a source to the form of chunks, starting with a keyframe. H.264 and H.265 are converted by a
/// ``UnitRewriter``.
public struct PacketRewriter: Sendable {
  private var form: Form
  /// The parameter sets in the form of a chunk's manifest: with start codes for H.264 and H.265, the sequence header
  /// for AV1, and the stream's own for other codecs.
  public let parameterSets: [UInt8]
  /// The chunk's out-of-band configuration.
  public let record: [UInt8]

  /// How a codec's packets are rewritten.
  private enum Form {
    case units(UnitRewriter)
    case temporalUnits(TemporalUnitRewriter)
    case whole
  }

  /// Creates a rewriter for a stream's packets from `first` on, the first packet of the copy.
  ///
  /// - Parameters:
  ///   - x264Build: the x264 build in the stream's first packet; `nil` if it names none.
  ///   - references: the references before the first picture of H.264, as ``ReferenceState`` describes them, if it does
  ///     not reset the decoder itself.
  /// - Throws: ``MediaError`` with code `unsupportedCodec` if parameter sets are missing.
  public init(
    _ parameters: StreamParameters, from first: Packet, named name: String, x264Build: Int? = nil,
    references: [Int]? = nil
  ) throws {
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
    form = .units(UnitRewriter(sets, x264Build: x264Build, references: references))
    self.record = record
    parameterSets = sets.annexB
  }

  private static func undeclared(_ name: String) -> MediaError {
    MediaError(
      .unsupportedCodec, "the stream does not declare its parameter sets", on: name,
      remedy: "choose a preset other than passthrough")
  }

  /// The next packet with the same content, but without metadata of its container other than whether it is a keyframe.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if its bytes are not valid for the codec.
  public mutating func rewrite(_ packet: Packet) throws -> Packet {
    let (bytes, isKey) = try packet.withUnsafeBytes { bytes -> (bytes: [UInt8], isKey: Bool) in
      switch form {
      case .whole: return (Array(bytes), packet.isKey)
      case .units(var rewriter):
        let units = try rewriter.rewrite(bytes, isKey: packet.isKey)
        form = .units(rewriter)
        return (units, packet.isKey)
      case .temporalUnits(let rewriter):
        guard let unit = rewriter.rewrite(bytes) else {
          throw MediaError(
            .damaged, "a packet is not valid AV1", on: "a temporal unit",
            remedy: "the file is damaged or was changed; copy it again")
        }
        return unit
      }
    }
    let copy = try Packet(bytes: bytes)
    copy.isKey = isKey
    return copy
  }

  /// Leaves out the next packet, whose frame is presented before the first one.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if its bytes are not valid for the codec.
  public mutating func leaveOut(_ packet: Packet) throws {
    guard case .units(var rewriter) = form else { return }
    try packet.withUnsafeBytes { try rewriter.leaveOut($0) }
    form = .units(rewriter)
  }
}
