import ProjectFormat
import Timeline

/// Templates of project files for tests.
enum ProjectText {
  /// An audio mix with a fade-in of track 3 over the first second.
  static func fade(timing: String) -> String {
    """
    {"inputParameters": [{"track": 3, "volume": [
      {"timeRange": {"start": 0, "duration": 1}, "from": 0, "to": 1, "timingFunction": \(timing)}]}]}
    """
  }

  /// The composition form of one ten-second clip. Parameters replace parts of it.
  static func composition(
    assets: String = #"{"a": {"path": "a.mp4"}}"#,
    source: String = #"{"start": 0, "duration": 10}"#,
    target: String = #"{"start": 0, "duration": 10}"#,
    tracks: String? = nil, videoComposition: String? = nil, audioMix: String? = nil,
    export: String? = nil, version: String = "1", extra: String = ""
  ) -> String {
    let tracks =
      tracks
        ?? """
        [{"id": 1, "mediaType": "video", "segments": [
          {"asset": "a", "trackIndex": 0, "source": \(source), "target": \(target)}]},
         {"id": 3, "mediaType": "audio", "segments": []}]
        """
    let optional = [
      ("videoComposition", videoComposition), ("audioMix", audioMix), ("export", export),
    ].map { key, value in value.map { ", \"\(key)\": \($0)" } ?? "" }
    return """
      {"version": \(version), "assets": \(assets), "composition": {"tracks": \(tracks)}\(optional.joined())\(extra)}
      """
  }

  /// A video composition with one instruction of ten seconds.
  static func videoComposition(
    renderSize: String = #"{"width": 1920, "height": 1080}"#, frameDuration: String = #""1/30""#,
    instructions: String? = nil, layers: String = #"[{"track": 1}]"#, extra: String = ""
  ) -> String {
    let instructions =
      instructions
      ?? #"[{"timeRange": {"start": 0, "duration": 10}, "layers": \#(layers)}]"#
    return """
      {"renderSize": \(renderSize), "frameDuration": \(frameDuration),
       "instructions": \(instructions)\(extra)}
      """
  }

  /// Parses a project.
  static func parse(_ text: String) throws(ProjectError) -> ProjectDocument {
    try ProjectDocument.parse(Array(text.utf8))
  }

  /// The findings of an invalid project; empty for a valid one.
  static func findings(_ text: String) -> [Finding] {
    do throws(ProjectError) {
      _ = try parse(text)
      return []
    } catch {
      return error.findings
    }
  }
}
