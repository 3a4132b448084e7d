/// A summary of an AV1 packet: a temporal unit, which is all frames up to one that is shown (AV1 bitstream
/// specification, 7.5).
package struct TemporalUnit: Hashable, Sendable {
  /// The number of frames that it shows.
  package private(set) var shownFrames = 0
  /// Whether its first frame is a keyframe that is shown when it is decoded. A decoder that begins with it has
  /// everything that later frames need (7.21).
  package private(set) var isReset = false
  /// The sequence header before its first frame.
  package private(set) var sequenceHeader: SequenceHeader?
  private var frames = 0

  /// Parses the unit in a packet; `nil` if the bytes are not exactly one unit, or have several spatial layers.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place < bytes.count {
      guard let unit = OpenBitstreamUnit(at: place, in: bytes), take(unit, of: bytes) else {
        return nil
      }
      place = unit.whole.upperBound
    }
  }

  /// Examines the next unit; `false` if it is not allowed here.
  private mutating func take(_ unit: OpenBitstreamUnit, of bytes: UnsafeRawBufferPointer) -> Bool {
    guard unit.spatialLayer == 0 else { return false }
    switch unit.kind {
    case .temporalDelimiter: return unit.whole.lowerBound == 0
    case .tileList: return false
    case .sequenceHeader:
      guard frames == 0, let header = SequenceHeader(payload: bytes[unit.payload]),
        sequenceHeader == nil || sequenceHeader == header
      else { return false }
      sequenceHeader = header
    case .frameHeader, .frame:
      guard let first = bytes[unit.payload].first else { return false }
      // 5.9.2: show_existing_frame (1), frame_type (2), show_frame (1).
      let showsExisting = first & 0x80 != 0
      let shows = first & 0x10 != 0
      let isKey = first & 0x60 == 0
      if frames == 0 { isReset = isKey && shows && !showsExisting }
      if shows || showsExisting { shownFrames += 1 }
      frames += 1
    default: break
    }
    return true
  }
}
