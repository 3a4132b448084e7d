import Timeline

// The bytes for each pixel are the largest at any measured size, rounded up. Presets that were not measured have those of
// the next more thorough one, or an estimate from what they hold.
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
      "placebo": Preset(640, 874, lookahead: 60, bFrames: 16, references: 16),
    ],
    lookaheadPicture: BytesPerPixel(3.6, 6.4), bFrame: BytesPerPixel(11.2, 20),
    reference: BytesPerPixel(5.6, 10), least: BytesPerPixel(13, 24), growsWithLength: true)

  static let x265 = EncoderMemoryTable(
    fixed: 50,
    presets: [
      "ultrafast": Preset(72, 136, lookahead: 5, bFrames: 3, references: 1),
      "superfast": Preset(95, 176, lookahead: 10, bFrames: 3, references: 1),
      "veryfast": Preset(136, 253, lookahead: 15, bFrames: 4, references: 2),
      "faster": Preset(136, 253, lookahead: 15, bFrames: 4, references: 2),
      "fast": Preset(136, 253, lookahead: 15, bFrames: 4, references: 3),
      "medium": Preset(161, 298, lookahead: 20, bFrames: 4, references: 3),
      "slow": Preset(184, 342, lookahead: 25, bFrames: 4, references: 4),
      "slower": Preset(320, 590, lookahead: 40, bFrames: 8, references: 5),
      "veryslow": Preset(320, 590, lookahead: 40, bFrames: 8, references: 5),
      "placebo": Preset(415, 770, lookahead: 60, bFrames: 8, references: 5),
    ],
    lookaheadPicture: BytesPerPixel(4.6, 9.2), bFrame: BytesPerPixel(12, 22),
    reference: BytesPerPixel(9, 16), least: BytesPerPixel(50, 95), growsWithLength: true)

  /// SVT-AV1 looks ahead no further than its preset says, whatever the options. Presets 1 and 0, and 10 bits from
  /// 3 down, are estimates.
  static let svtAV1 = EncoderMemoryTable(
    fixed: 88, ifLarge: 100,
    presets: [
      "13": Preset(68, 140), "12": Preset(68, 140), "11": Preset(94, 167),
      "10": Preset(94, 167), "9": Preset(99, 210), "8": Preset(99, 210),
      "7": Preset(111, 227), "6": Preset(113, 229), "5": Preset(150, 286),
      "4": Preset(165, 302), "3": Preset(165, 302), "2": Preset(189, 348),
      "1": Preset(240, 440), "0": Preset(240, 440),
    ],
    least: BytesPerPixel(68, 140))

  /// libvpx takes the same with every preset.
  static let libvpx = EncoderMemoryTable(
    fixed: 24,
    presets: Dictionary(
      uniqueKeysWithValues: (0...8).map { ("\($0)", Preset(132, 228, lookahead: 25)) }),
    lookaheadPicture: BytesPerPixel(2.9, 5), least: BytesPerPixel(60, 100))

  /// The size of one packet, in bytes.
  static let prores = EncoderMemoryTable(
    fixed: 8, presets: ["": Preset(8, 8)], least: BytesPerPixel(8, 8))
}
