import Timeline

// The bytes for each pixel are the largest at any measured size, rounded up.
extension EncoderMemoryTable {
  static let x264 = EncoderMemoryTable(
    fixed: 14,
    presets: [
      "ultrafast": Preset(13, 24, references: 1),
      "superfast": Preset(42, 83, bFrames: 3, references: 1),
      "veryfast": Preset(68, 127, lookahead: 10, bFrames: 3, references: 1),
      "faster": Preset(104, 193, lookahead: 20, bFrames: 3, references: 2),
      "fast": Preset(139, 256, lookahead: 30, bFrames: 3, references: 2),
      "medium": Preset(177, 320, lookahead: 40, bFrames: 3, references: 3),
      "slow": Preset(218, 394, lookahead: 50, bFrames: 3, references: 5),
      "slower": Preset(276, 495, lookahead: 60, bFrames: 3, references: 8),
      "veryslow": Preset(388, 622, lookahead: 60, bFrames: 8, references: 16),
      "placebo": Preset(420, 700, lookahead: 60, bFrames: 16, references: 16),
    ],
    lookaheadPicture: BytesPerPixel(3.6, 6.4), bFrame: BytesPerPixel(11.2, 20),
    reference: BytesPerPixel(5.6, 10),
    least: BytesPerPixel(13, 24), growsWithLength: true)

  static let x265 = EncoderMemoryTable(
    fixed: 24,
    presets: [
      "ultrafast": Preset(102, 166, lookahead: 5, bFrames: 3, references: 1),
      "superfast": Preset(125, 206, lookahead: 10, bFrames: 3, references: 1),
      "veryfast": Preset(166, 283, lookahead: 15, bFrames: 4, references: 2),
      "faster": Preset(166, 283, lookahead: 15, bFrames: 4, references: 2),
      "fast": Preset(166, 283, lookahead: 15, bFrames: 4, references: 3),
      "medium": Preset(191, 328, lookahead: 20, bFrames: 4, references: 3),
      "slow": Preset(220, 380, lookahead: 25, bFrames: 4, references: 4),
      "slower": Preset(300, 520, lookahead: 40, bFrames: 8, references: 5),
      "veryslow": Preset(300, 520, lookahead: 40, bFrames: 8, references: 5),
      "placebo": Preset(400, 700, lookahead: 60, bFrames: 8, references: 5),
    ],
    lookaheadPicture: BytesPerPixel(5, 9.2), bFrame: BytesPerPixel(11.2, 20),
    reference: BytesPerPixel(12, 20),
    least: BytesPerPixel(60, 100), growsWithLength: true)

  static let svtAV1 = EncoderMemoryTable(
    fixed: 40,
    presets: Dictionary(
      uniqueKeysWithValues: (0...13).map { ("\($0)", Preset(400, 600, lookahead: 40)) }),
    least: BytesPerPixel(100, 150))

  static let libvpx = EncoderMemoryTable(
    fixed: 24,
    presets: Dictionary(
      uniqueKeysWithValues: (0...8).map { ("\($0)", Preset(130, 250, lookahead: 25)) }),
    least: BytesPerPixel(60, 100))

  static let prores = EncoderMemoryTable(
    fixed: 8, presets: ["": Preset(30, 30)], least: BytesPerPixel(30, 30))
}
