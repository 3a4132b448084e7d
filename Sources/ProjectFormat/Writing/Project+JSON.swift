import Foundation
import Timeline

extension Project {
  /// The project file in its composition form, with sorted keys. Reading it restores the same project.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(WrittenProject(project: self))
  }
}

/// The composition form of a project file.
private struct WrittenProject: Encodable {
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
    try container.encode(WrittenExport(export: project.export), forKey: .export)
  }
}

/// Export settings without the keys that a project file must not have: the video settings of an audio-only file, those
/// that the sources determine, and the audio settings if audio is copied.
///
/// If the preset `automatic` has been carried out, the preset that does the same with the expanded project is written.
private struct WrittenExport: Encodable {
  let export: ExportSettings

  private enum CodingKeys: String, CodingKey {
    case preset, fileType, optimizeForNetworkUse, video, audio, timeRange, metadata, chapters
    case fileLengthLimit, onDamage, compatibility
  }

  private enum VideoKeys: String, CodingKey { case crf, encoderPreset, tune, keyFrameInterval }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(writtenPreset, forKey: .preset)
    try container.encode(export.fileType, forKey: .fileType)
    try container.encode(export.optimizeForNetworkUse, forKey: .optimizeForNetworkUse)
    if export.isPassthrough {
      var video = container.nestedContainer(keyedBy: VideoKeys.self, forKey: .video)
      try video.encodeIfPresent(export.video.crf, forKey: .crf)
      try video.encodeIfPresent(export.video.encoderPreset, forKey: .encoderPreset)
      try video.encodeIfPresent(export.video.tune, forKey: .tune)
      try video.encodeIfPresent(export.video.keyFrameInterval, forKey: .keyFrameInterval)
    } else if !export.isAudioOnly, !export.isAutomatic || export.encodesEveryFrame {
      try container.encode(export.video, forKey: .video)
    }
    if !export.mayCopySound || (export.isAutomatic && export.encodesEveryFrame) {
      try container.encode(export.audio, forKey: .audio)
    }
    try container.encodeIfPresent(export.timeRange, forKey: .timeRange)
    try container.encodeIfPresent(export.metadata, forKey: .metadata)
    try container.encodeIfPresent(export.chapters, forKey: .chapters)
    try container.encodeIfPresent(export.fileLengthLimit, forKey: .fileLengthLimit)
    try container.encodeIfPresent(export.onDamage, forKey: .onDamage)
    try container.encodeIfPresent(export.compatibility, forKey: .compatibility)
  }

  private var writtenPreset: String? {
    guard export.isAutomatic else { return export.preset }
    switch export.choice {
    case .encoded: return ExportPreset.highestQuality.name
    case .continued(let format) where format.isStored: return ExportPreset.passthrough.name
    case .continued, nil: return export.preset
    }
  }
}
