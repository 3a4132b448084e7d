import Timeline

/// An AV1 sequence header, which applies to all pictures up to the next one (AV1 bitstream specification, 5.5).
package struct SequenceHeader: Hashable, Sendable {
  /// The format of the pictures.
  package struct Form: Hashable, Sendable {
    /// The profile's number (A.2).
    package fileprivate(set) var profile = 0
    /// The largest pictures, in pixels.
    package fileprivate(set) var size = PixelSize(width: 0, height: 0)
    /// Bits per sample.
    package fileprivate(set) var bitDepth = 8
    /// Whether there is only luma.
    package fileprivate(set) var isMonochrome = false
    /// Primaries, transfer and matrix by their numbers in ITU-T H.273; 2 if unspecified.
    package fileprivate(set) var color = [2, 2, 2]
    /// Whether samples have full range.
    package fileprivate(set) var isFullRange = false
    /// Whether chroma has half as many columns.
    package fileprivate(set) var halvesColumns = true
    /// Whether chroma has half as many rows.
    package fileprivate(set) var halvesRows = true
    /// The chroma location: 0 if unspecified, 1 at the left, 2 at the top left (6.4.2).
    package fileprivate(set) var chromaPosition = 0

    /// Whether pictures of both forms can be in one stream: the forms differ only in the chroma location, and in colors
    /// that one of them leaves unspecified.
    func joins(_ other: Form) -> Bool {
      var other = other
      guard zip(color, other.color).allSatisfy({ $0 == $1 || $0 == 2 || $1 == 2 }) else {
        return false
      }
      (other.color, other.chromaPosition) = (color, chromaPosition)
      return other == self
    }
  }

  /// The format of the pictures.
  package private(set) var form = Form()
  /// The level's number (A.3) of all layers together.
  package private(set) var level = 0
  /// Whether the bit rates of the level are those of its high tier.
  package private(set) var isHighTier = false
  /// Whether it belongs to a moving stream in which each frame is shown on its own: neither to a still picture nor to
  /// pictures in several sizes.
  package private(set) var isPlain = true
  /// The whole unit, with its size.
  package let bytes: [UInt8]

  /// More bytes than a header with all details of 32 operating points has.
  private static let mostBytes = 512

  /// Parses the header in a unit's payload; `nil` if it is cut short or invalid.
  package init?(payload: some Collection<UInt8>) {
    guard payload.count <= Self.mostBytes else { return nil }
    let payload = Array(payload)
    bytes = OpenBitstreamUnit.bytes(.sequenceHeader, payload: payload)
    var reader = BitReader(payload[...])
    form.profile = reader.number(3)
    guard form.profile <= 2 else { return nil }
    let isStill = reader.flag()
    let isReduced = reader.flag()
    isPlain = !isStill && !isReduced
    if isReduced {
      level = reader.number(5)
    } else {
      readOperatingPoints(&reader)
    }
    let (width, height) = (reader.number(4) + 1, reader.number(4) + 1)
    form.size = PixelSize(
      width: reader.number(width) + 1, height: reader.number(height) + 1)
    readTools(&reader, isReduced: isReduced)
    readColor(&reader)
    // Streams may differ in film_grain_params_present.
    reader.skip(1)
    guard reader.endsWithTrailingBits() else { return nil }
  }

  /// Reads the levels of the layers, and skips the times, which containers state.
  private mutating func readOperatingPoints(_ reader: inout BitReader) {
    var delayBits: Int?
    if reader.flag() {
      // num_units_in_display_tick, time_scale, equal_picture_interval, num_ticks_per_picture_minus_1
      reader.skip(64)
      if reader.flag() { reader.skipVariable() }
      if reader.flag() {
        delayBits = reader.number(5) + 1
        // num_units_in_decoding_tick, and the lengths of two fields of frame headers
        reader.skip(42)
      }
    }
    let saysDelays = reader.flag()
    for point in 0...reader.number(5) {
      // The lower eight bits are temporal layers, the upper four spatial ones; nothing if there are no layers.
      let layers = reader.number(12)
      if layers >> 8 > 1 { isPlain = false }
      let level = reader.number(5)
      let isHighTier = level > 7 && reader.flag()
      if point == 0 { (self.level, self.isHighTier) = (level, isHighTier) }
      if let delayBits, reader.flag() { reader.skip(2 * delayBits + 1) }
      if saysDelays, reader.flag() { reader.skip(4) }
    }
  }

  /// Skips the coding tools.
  private func readTools(_ reader: inout BitReader, isReduced: Bool) {
    // frame_id_numbers_present_flag and the lengths of frames' numbers
    if !isReduced, reader.flag() { reader.skip(7) }
    // use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter
    reader.skip(3)
    if !isReduced {
      // enable_interintra_compound, enable_masked_compound, enable_warped_motion, enable_dual_filter
      reader.skip(4)
      let hasOrder = reader.flag()
      // enable_jnt_comp, enable_ref_frame_mvs
      if hasOrder { reader.skip(2) }
      let mayBeScreen = reader.flag() || reader.flag()
      // seq_choose_integer_mv, else seq_force_integer_mv
      if mayBeScreen, !reader.flag() { reader.skip(1) }
      if hasOrder { reader.skip(3) }
    }
    // enable_superres, enable_cdef, enable_restoration
    reader.skip(3)
  }

  /// 5.5.2, color_config.
  private mutating func readColor(_ reader: inout BitReader) {
    let isDeep = reader.flag()
    let hasTwelveBits = form.profile == 2 && isDeep && reader.flag()
    form.bitDepth = hasTwelveBits ? 12 : isDeep ? 10 : 8
    form.isMonochrome = form.profile != 1 && reader.flag()
    if reader.flag() { form.color = (0..<3).map { _ in reader.number(8) } }
    if form.isMonochrome {
      form.isFullRange = reader.flag()
      return
    }
    // sRGB as red, green and blue
    if form.color == [1, 13, 0] {
      (form.isFullRange, form.halvesColumns, form.halvesRows) = (true, false, false)
    } else {
      form.isFullRange = reader.flag()
      form.halvesColumns = hasTwelveBits ? reader.flag() : form.profile != 1
      form.halvesRows =
        hasTwelveBits ? form.halvesColumns && reader.flag() : form.profile == 0
      if form.halvesColumns, form.halvesRows { form.chromaPosition = reader.number(2) }
    }
    // separate_uv_delta_q
    reader.skip(1)
  }
}
