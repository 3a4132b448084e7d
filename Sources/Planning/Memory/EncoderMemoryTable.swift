import Timeline

/// The measured memory of a codec's encoder, by preset; see Benchmarks/README.md.
struct EncoderMemoryTable {
  /// Bytes for each pixel of a picture, at 8 bits and at more.
  struct BytesPerPixel {
    let eight: Double
    let ten: Double

    init(_ eight: Double, _ ten: Double) {
      self.eight = eight
      self.ten = ten
    }

    func of(_ isDeep: Bool) -> Double { isDeep ? ten : eight }
  }

  /// The pictures that an encoder buffers with a preset, and the memory that they take.
  struct Preset {
    let bytes: BytesPerPixel
    /// The pictures that it looks ahead, its B-frames in a row, and its references.
    let lookahead, bFrames, references: Int

    init(
      _ eight: Double, _ ten: Double, lookahead: Int = 0, bFrames: Int = 0, references: Int = 0
    ) {
      bytes = BytesPerPixel(eight, ten)
      self.lookahead = lookahead
      self.bFrames = bFrames
      self.references = references
    }
  }

  /// The bytes that do not depend on the size of the pictures.
  private let fixed: Double
  /// The bytes that the encoder takes in addition for larger pictures than ``largePixels``.
  private let fixedIfLarge: Double
  /// The presets by name; the empty name for an encoder without presets.
  let presets: [String: Preset]
  /// The memory of one more picture that the encoder looks ahead.
  let lookaheadPicture: BytesPerPixel
  /// The memory of one more B-frame in a row.
  let bFrame: BytesPerPixel
  /// The memory of one more reference.
  let reference: BytesPerPixel
  /// The minimum memory of the encoder with any options.
  let least: BytesPerPixel
  /// Whether a segment that is shorter than the look-ahead takes less.
  let growsWithLength: Bool

  /// The table of a codec.
  init(_ codec: VideoSettings.Codec) {
    self =
      switch codec {
      case .h264: .x264
      case .hevc: .x265
      case .av1: .svtAV1
      case .vp9: .libvpx
      case .prores: .prores
      }
  }

  /// Creates a table; the fixed amounts are in MiB.
  init(
    fixed mebibytes: Double, ifLarge more: Double = 0, presets: [String: Preset],
    lookaheadPicture: BytesPerPixel = BytesPerPixel(0, 0),
    bFrame: BytesPerPixel = BytesPerPixel(0, 0), reference: BytesPerPixel = BytesPerPixel(0, 0),
    least: BytesPerPixel, growsWithLength: Bool = false
  ) {
    fixed = mebibytes * 1_048_576
    fixedIfLarge = more * 1_048_576
    self.presets = presets
    self.lookaheadPicture = lookaheadPicture
    self.bFrame = bFrame
    self.reference = reference
    self.least = least
    self.growsWithLength = growsWithLength
  }

  /// The largest pictures, in pixels, that SVT-AV1 treats like those of 1280×720 (`INPUT_SIZE_720p_TH`).
  private static let largePixels = 1_497_600.0

  /// The bytes that the encoder takes for pictures of a size, beside those for each pixel.
  func fixed(for size: PixelSize) -> Double {
    fixed + (size.pixels > Self.largePixels ? fixedIfLarge : 0)
  }

  /// The preset that takes the most.
  var largest: Preset {
    presets.values.max { $0.bytes.ten < $1.bytes.ten } ?? Preset(least.eight, least.ten)
  }
}
