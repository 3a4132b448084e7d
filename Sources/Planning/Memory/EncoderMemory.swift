import Timeline

/// The memory that an encoder with one thread takes.
///
/// Each encoder takes a fixed amount and, for each pixel of a picture, the bytes that were measured for its preset
/// (`Benchmarks/encoder-memory`; the results are in Benchmarks/README.md). Options of the project, and segments that are
/// shorter than the encoder's look-ahead, change the number of pictures that it holds.
package struct EncoderMemory {
  private let video: VideoSettings
  private let size: PixelSize
  private let isDeep: Bool
  private let frameCount: Int

  package init(_ segment: SegmentDescription) {
    self.init(
      segment.video, size: segment.renderSize,
      bitDepth: max(segment.workingFormat?.bitDepth ?? 8, segment.video.effectiveBitDepth),
      frameCount: segment.frameCount)
  }

  /// The memory of an encoder of some pictures.
  package init(_ video: VideoSettings, size: PixelSize, bitDepth: Int, frameCount: Int) {
    self.video = video
    self.size = size
    isDeep = bitDepth > 8
    self.frameCount = frameCount
  }

  /// The expected peak in bytes.
  package var bytes: Double {
    let table = EncoderMemoryTable(video.codec)
    let preset = table.presets[video.encoderPreset ?? ""] ?? table.largest
    let ahead = Double(lookahead(of: preset, table) - preset.lookahead)
    var perPixel = preset.bytes.of(isDeep)
    // The saving by fewer pictures is estimated with caution.
    perPixel += table.lookaheadPicture.of(isDeep) * (ahead < 0 ? 0.8 * ahead : ahead)
    perPixel += table.bFrame.of(isDeep) * Double(max(bFrames(of: preset) - preset.bFrames, 0))
    perPixel +=
      table.reference.of(isDeep) * Double(max(references(of: preset) - preset.references, 0))
    perPixel += integralImages(references: references(of: preset))
    return table.fixed(for: size) + size.pixels * max(perPixel, table.least.of(isDeep))
      * video.relativeSampleCount
  }

  /// The bytes for each pixel of the integral images that exhaustive motion search keeps beside its pictures.
  private func integralImages(references: Int) -> Double {
    let search = values(["me", "motion-est"]).map { $0.lowercased() }
    switch video.codec {
    // One image of four bytes for each picture.
    case .h264 where search.contains { ["esa", "tesa", "3", "4"].contains($0) }:
      return 4 * Double(references + 5)
    // Twelve of them for each picture; the number of pictures is measured.
    case .hevc where search.contains { ["sea", "4"].contains($0) }:
      return 48 * Double(max(references, 3) + 6)
    default: return 0
    }
  }

  /// The number of pictures that the encoder looks ahead, with the project's options and the segment's length.
  private func lookahead(
    of preset: EncoderMemoryTable.Preset, _ table: EncoderMemoryTable
  ) -> Int {
    let asked = option("rc-lookahead", "lookahead", "la-depth", "lag-in-frames") ?? preset.lookahead
    // Encoders allow up to 250 pictures.
    let most = table.growsWithLength ? min(max(frameCount, 0), 250) : 250
    return min(max(asked, 0), most)
  }

  private func bFrames(of preset: EncoderMemoryTable.Preset) -> Int {
    let own = preset.bFrames + (video.tune == "animation" ? 2 : 0)
    return min(option("bframes", "bf") ?? own, 16)
  }

  private func references(of preset: EncoderMemoryTable.Preset) -> Int {
    let isDoubled = video.tune == "animation" && video.codec == .h264 && preset.references > 1
    let own = isDoubled ? 2 * preset.references : preset.references
    return min(option("ref", "refs", "frameref") ?? own, 16)
  }

  /// The project's value of an option with several names; the greatest of several.
  ///
  /// A number that only the encoder can read (`0x1f`) counts as the greatest.
  private func option(_ names: String...) -> Int? {
    values(names).map { Int($0) ?? .max }.max()
  }

  private func values(_ names: [String]) -> [String] {
    (video.options ?? [:]).compactMap { name, value in
      names.contains(name.lowercased().replacing("_", with: "-")) ? value : nil
    }
  }
}

extension VideoSettings {
  /// The number of samples in a picture over that in 4:2:0.
  var relativeSampleCount: Double {
    switch chroma {
    case nil: 1
    case .half: 4.0 / 3
    case .full: 2
    }
  }
}
