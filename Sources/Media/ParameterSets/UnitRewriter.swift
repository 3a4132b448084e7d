/// Converts packets of H.264 and H.265 to the form of chunks: units with lengths of four bytes, and parameter sets in
/// band before every keyframe. If decoding of H.264 depends on it, every keyframe also names the build of x264.
///
/// The first picture is rewritten so that it resets the decoder, unless it already does: a picture of H.265 becomes one
/// after which nothing refers to earlier pictures (BLA_N_LP), and one of H.264 an IDR picture (``OpenGroupRewriter``).
/// The caller leaves out its leading pictures.
struct UnitRewriter: Sendable {
  private let sets: ParameterSets
  /// A unit that names the build of x264; `nil` if decoding does not depend on it.
  private let note: [UInt8]?
  private var isFirst = true
  /// The references before the first picture of H.264, if it is rewritten.
  private let references: [Int]?
  /// Rewrites the pictures from that one on.
  private var group: OpenGroupRewriter?
  private var pictureSets = PictureSets()

  /// Creates a rewriter for the packets of one copy, in their order.
  ///
  /// - Parameters:
  ///   - sets: inserted at the front of a keyframe, unless it has its own sets for all of them.
  ///   - x264Build: the x264 build in the stream's first packet; `nil` if it names none.
  ///   - references: the references before the first picture of H.264, as ``ReferenceState`` describes them, if it does
  ///     not reset the decoder itself.
  init(_ sets: ParameterSets, x264Build: Int?, references: [Int]?) {
    self.sets = sets
    self.references = references
    let build = x264Build ?? X264Build.firstOfStandard
    note = sets.dependOnX264Build ? SupplementalInformation.unit(naming: build) : nil
  }

  /// The next packet's units.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if a slice cannot be rewritten.
  mutating func rewrite(_ bytes: UnsafeRawBufferPointer, isKey: Bool) throws -> [UInt8] {
    let layout = sets.layout
    let units = layout.units(in: bytes)
    let slices = try rewrittenSlices(bytes, units)
    var missingSets: [UInt8]?
    var missingNote: [UInt8]?
    if isKey {
      let leading = units.prefix { !layout.isPicture(layout.kind(bytes[$0.lowerBound])) }
      let own = Set(
        leading.filter { layout.isParameterSet(bytes[$0.lowerBound]) }
          .map { layout.memory(Array(bytes[$0])) })
      let hasSets = sets.units.allSatisfy { own.contains(layout.memory($0)) }
      // A buffering period has to be a frame's first information, so the note comes last.
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
      if let note = missingNote, !layout.mayPrecedeInformation(first) {
        result.append(unit: note)
        missingNote = nil
      }
      if isFirst, layout.isHEVC, layout.isOpenStart(layout.kind(first)) {
        result.append(unit: layout.brokenLink(bytes[unit]))
      } else if let slice = slices[unit.lowerBound] {
        result.append(unit: slice)
      } else {
        result.append(unit: bytes[unit])
      }
    }
    isFirst = false
    return result
  }

  /// Leaves out the next packet.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if its slices cannot be read.
  mutating func leaveOut(_ bytes: UnsafeRawBufferPointer) throws {
    guard group != nil else { return }
    let slices = try slices(bytes, sets.layout.units(in: bytes))
    do throws(OpenGroupRewriter.Unsupported) {
      try group?.leaveOut(slices.map(\.slice.header))
    } catch {
      throw Self.unreadable
    }
  }

  /// The rewritten slices of the next packet by the places of their units.
  private mutating func rewrittenSlices(
    _ bytes: UnsafeRawBufferPointer, _ units: [Range<Int>]
  ) throws -> [Int: [UInt8]] {
    guard let references, group?.isReset != true else { return [:] }
    let slices = try slices(bytes, units)
    let headers = slices.map(\.slice.header)
    var changes: [OpenGroupRewriter.Changes] = []
    do throws(OpenGroupRewriter.Unsupported) {
      if group == nil {
        let start = try OpenGroupRewriter.starting(with: headers, after: references)
        (group, changes) = (start.rewriter, start.changes)
      } else {
        changes = try group?.changes(to: headers) ?? []
      }
    } catch {
      throw Self.unreadable
    }
    var rewritten: [Int: [UInt8]] = [:]
    for (slice, changes) in zip(slices, changes) {
      rewritten[slice.place] = slice.slice.rewritten(changes)
    }
    return rewritten
  }

  /// The slices of an H.264 packet with the places of their units.
  private mutating func slices(
    _ bytes: UnsafeRawBufferPointer, _ units: [Range<Int>]
  ) throws -> [(place: Int, slice: SliceUnit)] {
    if isFirst { for unit in sets.units { pictureSets.add(unit) } }
    var slices: [(place: Int, slice: SliceUnit)] = []
    for unit in units {
      switch sets.layout.kind(bytes[unit.lowerBound]) {
      case UnitLayout.sequenceSet, UnitLayout.pictureSet: pictureSets.add(Array(bytes[unit]))
      case 1, 5:
        guard let slice = SliceUnit(bytes[unit], pictureSets) else { throw Self.unreadable }
        slices.append((unit.lowerBound, slice))
      default: break
      }
    }
    return slices
  }

  private static var unreadable: MediaError {
    MediaError(
      .damaged, "the header of a slice cannot be read", on: "a packet of H.264",
      remedy: "the file is damaged or was changed; copy it again")
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

  /// Whether a unit of H.265 belongs to a random access picture other than an IDR picture: BLA or CRA.
  fileprivate func isOpenStart(_ kind: UInt8) -> Bool { [16, 17, 18, 21].contains(kind) }

  /// A slice of an H.265 picture as one of a BLA_N_LP picture, before which all earlier pictures are shown.
  ///
  /// ITU-T H.265, 7.3.1.2 and 7.3.6.1: the kind is in bits 1 to 6 of the unit. The second bit after the unit's header
  /// of two bytes, `no_output_of_prior_pics_flag`, has no meaning in a CRA picture within a stream.
  fileprivate func brokenLink(_ unit: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    var bytes = Array(unit)
    bytes[0] = bytes[0] & 0x81 | Self.brokenLink << 1
    guard bytes.count > 2, bytes[2] & 0x40 != 0 else { return bytes }
    bytes = UnitEscapes.removed(from: bytes)
    bytes[2] &= ~0x40
    return UnitEscapes.added(to: bytes)
  }

  /// Whether a keyframe resets the decoder, so that frames from elsewhere may come before it: an IDR picture.
  func isReset(_ packet: Packet) -> Bool {
    packet.withUnsafeBytes { bytes in
      let first = units(in: bytes).map { kind(bytes[$0.lowerBound]) }.first(where: isPicture)
      return isHEVC ? first == 19 || first == 20 : first == 5
    }
  }
}
