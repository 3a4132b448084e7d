import CFFmpeg
import Timeline

/// Converts packets of a source to the form of chunks: units with lengths of four bytes, and parameter sets in band
/// before every keyframe. If decoding of H.264 depends on it, every keyframe also names the build of x264.
public struct PacketRewriter: Sendable {
  private let form: Form
  /// The parameter sets in the form of a chunk's manifest: with start codes for H.264 and H.265, the sequence header
  /// for AV1, and the stream's own for other codecs.
  public let parameterSets: [UInt8]
  /// The chunk's out-of-band configuration.
  public let record: [UInt8]

  /// How a codec's packets are rewritten.
  private enum Form {
    /// The note is a unit that names the build of x264; `nil` if decoding does not depend on it.
    case units(ParameterSets, note: [UInt8]?)
    case temporalUnits(TemporalUnitRewriter)
    case whole
  }

  /// Creates a rewriter for a stream's packets from `first` on, the first packet of the copy.
  ///
  /// - Parameter x264Build: the x264 build in the stream's first packet; `nil` if it names none.
  /// - Throws: ``MediaError`` with code `unsupportedCodec` if parameter sets are missing.
  public init(
    _ parameters: StreamParameters, from first: Packet, named name: String, x264Build: Int? = nil
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
    let build = x264Build ?? X264Build.firstOfStandard
    form = .units(
      sets, note: sets.dependOnX264Build ? SupplementalInformation.unit(naming: build) : nil)
    self.record = record
    parameterSets = sets.annexB
  }

  private static func undeclared(_ name: String) -> MediaError {
    MediaError(
      .unsupportedCodec, "the stream does not declare its parameter sets", on: name,
      remedy: "choose a preset other than passthrough")
  }

  /// A packet with the same content, but without metadata of its container other than whether it is a keyframe.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if its bytes are not valid for the codec.
  public func rewrite(_ packet: Packet) throws -> Packet {
    let (bytes, isKey) = try packet.withUnsafeBytes { bytes -> (bytes: [UInt8], isKey: Bool) in
      switch form {
      case .whole: return (Array(bytes), packet.isKey)
      case .units(let sets, note: let note):
        let units = Self.rewrite(bytes, with: sets, note: note, isKey: packet.isKey)
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

  /// A packet's units with lengths of four bytes.
  ///
  /// - Parameters:
  ///   - sets: inserted at the front of a keyframe, unless it has its own sets for all of them.
  ///   - note: inserted before the picture of a keyframe, unless the keyframe itself names a build of x264.
  private static func rewrite(
    _ bytes: UnsafeRawBufferPointer, with sets: ParameterSets, note: [UInt8]?, isKey: Bool
  ) -> [UInt8] {
    let layout = sets.layout
    let units = layout.units(in: bytes)
    var missingSets: [UInt8]?
    var missingNote: [UInt8]?
    if isKey {
      let leading = units.prefix { !layout.isPicture(layout.kind(bytes[$0.lowerBound])) }
      let own = Set(
        leading.filter { layout.isParameterSet(bytes[$0.lowerBound]) }
          .map { layout.memory(Array(bytes[$0])) })
      let hasSets = sets.units.allSatisfy { own.contains(layout.memory($0)) }
      let hasNote = leading.contains { layout.namesX264Build(bytes[$0]) }
      if !hasSets { missingSets = sets.lengthPrefixed }
      if !hasNote { missingNote = note }
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 512)
    for unit in units {
      let first = bytes[unit.lowerBound]
      // A delimiter comes before everything else in its frame.
      if let sets = missingSets, !layout.isDelimiter(first) {
        result += sets
        missingSets = nil
      }
      // A buffering period has to be a frame's first information, so the note comes last.
      if let note = missingNote, !layout.mayPrecedeInformation(first) {
        result.append(unit: note)
        missingNote = nil
      }
      result.append(unit: bytes[unit])
    }
    return result
  }
}

extension UnitLayout {
  /// Whether a unit with this first byte is an access unit delimiter.
  fileprivate func isDelimiter(_ first: UInt8) -> Bool { kind(first) == (isHEVC ? 35 : 9) }

  /// Whether supplemental information of H.264 may follow a unit with this first byte: parameter sets, delimiters and
  /// other such information, but nothing that belongs to a picture (ITU-T H.264, 7.4.1.2.3).
  fileprivate func mayPrecedeInformation(_ first: UInt8) -> Bool {
    [Self.supplementalInformation, Self.sequenceSet, Self.pictureSet, 9, 13, 15]
      .contains(kind(first))
  }

  /// Whether a unit is H.264 information that names a build of x264.
  fileprivate func namesX264Build(_ unit: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !isHEVC, let first = unit.first, kind(first) == Self.supplementalInformation else {
      return false
    }
    return SupplementalInformation(unit).x264Build != nil
  }

  /// Whether a keyframe resets the decoder, so that frames from elsewhere may come before it: an IDR picture.
  func isReset(_ packet: Packet) -> Bool {
    packet.withUnsafeBytes { bytes in
      let kinds = units(in: bytes).map { kind(bytes[$0.lowerBound]) }
      let first = kinds.first { isHEVC ? $0 < 32 : (1...5).contains($0) }
      return isHEVC ? first == 19 || first == 20 : first == 5
    }
  }
}
