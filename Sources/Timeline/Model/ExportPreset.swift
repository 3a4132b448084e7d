/// A named quality: the largest size of the output, and how strongly it is compressed.
public struct ExportPreset: Hashable, Sendable {
  /// The name in the project file.
  public let name: String
  /// The size that the output keeps within, landscape; turned for portrait output. `nil` bounds nothing.
  public let bounds: PixelSize?
  /// The constant rate factor where the project says none.
  public let crf: Double

  /// The preset of a project that names none.
  public static let highestQuality = ExportPreset(name: "highestQuality", bounds: nil, crf: 20)

  /// Every preset.
  public static let all =
    [
      highestQuality,
      ExportPreset(
        name: "mediumQuality", bounds: PixelSize(width: 1280, height: 720), crf: 24),
      ExportPreset(name: "lowQuality", bounds: PixelSize(width: 640, height: 360), crf: 28),
    ]
    + [(640, 480), (960, 540), (1280, 720), (1920, 1080), (3840, 2160)].map { width, height in
      ExportPreset(
        name: "\(width)x\(height)", bounds: PixelSize(width: width, height: height), crf: 20)
    }

  /// The preset of a name.
  public static func named(_ name: String) -> ExportPreset? { all.first { $0.name == name } }

  /// The bounds for an output of a shape: turned where it is taller than wide.
  public func bounds(forPortrait isPortrait: Bool) -> PixelSize? {
    guard let bounds, isPortrait else { return bounds }
    return PixelSize(width: bounds.height, height: bounds.width)
  }
}

extension ExportSettings {
  /// The preset in force: ``ExportPreset/highestQuality`` where none is named.
  public var effectivePreset: ExportPreset {
    preset.flatMap(ExportPreset.named) ?? .highestQuality
  }
}
