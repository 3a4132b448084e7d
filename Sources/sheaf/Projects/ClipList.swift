import Foundation
import ProjectFormat
import Timeline

/// Clips named on the command line, from which a project is made without a project file.
package struct ClipList: Sendable {
  /// The files in order, as they were named.
  package var clips: [String]
  /// One transition per join, one for all joins, or none for cuts.
  package var transitions: [TransitionArgument]
  /// How clips and transitions look.
  package var style: ClipStyle
  /// The output's size in pixels; derived from the clips if `nil`.
  package var renderSize: PixelSize?
  /// Frames per second of the output; derived from the clips if `nil`.
  package var frameRate: RationalTime?
  /// The clips that are still images and need a duration, judged by their file names until their content is known.
  package var stills: Set<String>
  /// The duration of a still image.
  package var stillDuration: RationalTime
  /// The container.
  package var fileType: FileType
  /// The export preset's name.
  package var preset: String?
  /// The encoder's constant rate factor.
  package var rateFactor: Double?
  package var encoderPreset: String?

  /// Creates a list. By default, clips are joined by cuts and exported with the default settings.
  package init(
    clips: [String], transitions: [TransitionArgument] = [],
    style: ClipStyle = ClipStyle(), renderSize: PixelSize? = nil, frameRate: RationalTime? = nil,
    stillDuration: RationalTime, fileType: FileType,
    preset: String? = nil, rateFactor: Double? = nil,
    encoderPreset: String? = nil
  ) throws(CommandFailure) {
    let joins = max(clips.count - 1, 0)
    guard transitions.count <= min(joins, 1) || transitions.count == joins else {
      throw CommandFailure(
        .usage,
        joins == 0
          ? "a single clip has no joins"
          : "there are \(transitions.count) transitions for \(joins) join\(joins == 1 ? "" : "s")",
        on: "--transition",
        remedy: joins == 0
          ? "remove it, or name another clip" : "pass it once for all joins, or once for each")
    }
    self.clips = clips
    stills = Set(clips.filter(Self.isStillImage))
    self.transitions = transitions
    self.style = style
    self.renderSize = renderSize
    self.frameRate = frameRate
    self.stillDuration = stillDuration
    self.fileType = fileType
    self.preset = preset
    self.rateFactor = rateFactor
    self.encoderPreset = encoderPreset
  }

  /// Whether a file has the extension of an image, still or animated.
  package static func isImage(_ path: String) -> Bool {
    isStillImage(path)
      || ["gif", "apng"].contains(URL(fileURLWithPath: path).pathExtension.lowercased())
  }

  /// Whether a file has the extension of a still image, which needs a duration unless its content turns out to be
  /// animated.
  package static func isStillImage(_ path: String) -> Bool {
    let extensions: Set = [
      "png", "jpg", "jpeg", "heic", "heif", "avif", "webp", "bmp", "tif", "tiff",
    ]
    return extensions.contains(URL(fileURLWithPath: path).pathExtension.lowercased())
  }

  /// The project document, in the sequence form.
  package func document() throws -> String {
    var items: [Item] = []
    for (index, clip) in clips.enumerated() {
      if index > 0, let argument = transitions.count == 1 ? transitions[0] : transition(index - 1) {
        let transition = argument.transition
        items.append(
          Item(
            transition: transition.kind.rawValue, duration: "\(transition.duration)",
            direction: transition.kind.isDirected ? transition.direction.rawValue : nil,
            color: transition.kind.isColored ? transition.color.description : nil,
            easing: style.easing, softness: transition.kind.hasEdge ? style.softness : nil,
            map: transition.map))
      }
      items.append(
        Item(clip: clip, duration: stills.contains(clip) ? "\(stillDuration)" : nil))
    }
    // A file without pictures may have no video settings.
    let video =
      rateFactor == nil && encoderPreset == nil
      ? nil : Video(crf: rateFactor, encoderPreset: encoderPreset)
    let export = Export(preset: preset, fileType: fileType.rawValue, video: video)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(
      Document(
        version: 1, sequence: items, fit: style.fit, renderSize: renderSize,
        frameRate: frameRate, export: export))
    return String(decoding: data, as: UTF8.self)
  }

  /// The arguments that set values of the document, by the paths of the values.
  var names: [FindingPath: String] {
    var names: [FindingPath: String] = [
      "fit": "--fit", "renderSize": "--size", "frameRate": "--frame-rate",
      "export.preset": "--preset", "export.video.crf": "--crf",
      "export.video.encoderPreset": "--encoder-preset",
      "export.fileType": "the output's extension",
    ]
    var place = 0
    for (index, clip) in clips.enumerated() {
      if index > 0, !transitions.isEmpty {
        let kind = (transitions.count == 1 ? transitions[0] : transitions[index - 1]).transition
          .kind
        names["sequence[\(place)]"] = "--transition \(kind.rawValue)"
        names["sequence[\(place)].easing"] = "--easing"
        names["sequence[\(place)].softness"] = "--softness"
        place += 1
      }
      names["sequence[\(place)]"] = clip
      if stills.contains(clip) { names["sequence[\(place)].duration"] = "--still-duration" }
      place += 1
    }
    return names
  }

  private func transition(_ join: Int) -> TransitionArgument? {
    join < transitions.count ? transitions[join] : nil
  }

  private struct Document: Encodable {
    var version: Int
    var sequence: [Item]
    var fit: Fit?
    var renderSize: PixelSize?
    var frameRate: RationalTime?
    var export: Export
  }

  private struct Item: Encodable {
    var clip: String?
    var transition: String?
    var duration: String?
    var direction: String?
    var color: String?
    var easing: TimingFunction?
    var softness: Double?
    var map: String?
  }

  private struct Export: Encodable {
    var preset: String?
    var fileType: String
    var video: Video?
  }

  private struct Video: Encodable {
    var crf: Double?
    var encoderPreset: String?
  }
}
