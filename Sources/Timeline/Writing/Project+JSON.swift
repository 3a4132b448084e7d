import Foundation

extension Project {
  /// The project file in its composition form, with sorted keys; reading it gives the same project.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(ProjectFile(project: self))
  }
}

/// The composition form as it stands in a file.
private struct ProjectFile: Encodable {
  let project: Project

  private enum CodingKeys: String, CodingKey {
    case version, assets, composition, videoComposition, audioMix, export
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ProjectDocument.version, forKey: .version)
    try container.encode(project.assets, forKey: .assets)
    try container.encode(project.composition, forKey: .composition)
    try container.encodeIfPresent(project.videoComposition, forKey: .videoComposition)
    try container.encodeIfPresent(project.audioMix, forKey: .audioMix)
    try container.encode(project.export, forKey: .export)
  }
}

extension Instruction: Encodable {
  private enum CodingKeys: String, CodingKey {
    case timeRange, backgroundColor, enablePostProcessing, layers
  }

  /// Encodes the colour as `#rrggbb`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(timeRange, forKey: .timeRange)
    try container.encode(backgroundColor.description, forKey: .backgroundColor)
    try container.encode(enablePostProcessing, forKey: .enablePostProcessing)
    try container.encode(layers, forKey: .layers)
  }
}

extension LayerInstruction: Encodable {
  private enum CodingKeys: String, CodingKey {
    case track, opacity, transform, crop, backdrop, mask
  }

  /// Encodes what is not at its default.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(track, forKey: .track)
    if !opacity.pieces.isEmpty { try container.encode(opacity, forKey: .opacity) }
    if !transform.pieces.isEmpty { try container.encode(transform, forKey: .transform) }
    if !crop.pieces.isEmpty { try container.encode(crop, forKey: .crop) }
    try container.encodeIfPresent(backdrop, forKey: .backdrop)
    try container.encodeIfPresent(mask, forKey: .mask)
  }
}
