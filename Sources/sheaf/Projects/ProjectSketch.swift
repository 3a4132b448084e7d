import Foundation
import Timeline

/// A project file with comments, which plays clips one after another and shows how to add more.
struct ProjectSketch {
  /// A clip or still image.
  struct Clip: Sendable {
    /// The path in the project file.
    var path: String
    /// The comment on it.
    var about: String
    /// Whether it is a still image, which needs a duration.
    var isStill: Bool
  }

  /// The title of the film.
  var title: String
  /// The name of the project file.
  var name: String
  /// The clips in order.
  var clips: [Clip]
  /// The paths of files with sound only, which are offered as music.
  var sounds: [String]

  /// How long a still image is shown, in seconds.
  static let stillSeconds = 5

  /// The text of the file.
  var text: String {
    """
    {
      "// about": [
        "Keys that begin with // are comments. To use one that holds a setting, remove its slashes.",
        "sheaf validate \(escaped(name)) checks this project.",
        "sheaf render \(escaped(name)) -o film.mp4 renders it.",
        "docs/project-file.md explains every key."
      ],
      "version": 1,

      "// sequence": [
        "The clips play one after another. To use a part of one, add times in seconds, as in:",
        {"clip": \(quoted(example)), "in": 0, "duration": "1.5"},
        "For a transition, put an item like this between two clips that are longer than it:",
        {"transition": "dissolve", "duration": 1},
        "Others are crossDissolve, push, slide, wipe, fade, iris and clockWipe."
      ],
      "sequence": [
    \(clips.map { "    \(line(of: $0))" }.joined(separator: ",\n"))
      ],

      "// titles": [
        "The titles are opener, lower-third, chapter, end-card, credits and corner-bug.",
        "The styles are minimal, broadcast and editorial. Times count from the start of the film."
      ],
      "//titles": [
        {"title": "opener", "text": \(quoted(title)), "at": 0, "duration": 4}
      ],

      "// music": "Music plays beneath the clips. duck lowers it while they are audible.",
      "//music": [
    \(music.map { "    \($0)" }.joined(separator: ",\n"))
      ],

      "// fit": "How clips of another shape fill the frame: contain, cover or blur.",
      "fit": "contain",

      "// size": "By default, the film has the size and the rate of the clips that fill most of it.",
      "//renderSize": {"width": 1920, "height": 1080},
      "//frameRate": 25,

      "// export": [
        "Other presets are highestQuality, 1920x1080 and hevc1920x1080, which copy nothing.",
        "More settings of the file, such as:",
        {"preset": "1920x1080", "video": {"crf": 20}, "audio": {"loudness": -16}}
      ],
      "export": {"preset": "automatic", "fileType": "mp4"}
    }

    """
  }

  private var example: String { (clips.first { !$0.isStill } ?? clips.first)?.path ?? "clip.mp4" }

  private func line(of clip: Clip) -> String {
    let duration = clip.isStill ? ", \"duration\": \(Self.stillSeconds)" : ""
    return "{\"clip\": \(quoted(clip.path))\(duration), \"//\": \(quoted(clip.about))}"
  }

  private var music: [String] {
    (sounds.isEmpty ? ["song.m4a"] : sounds).map {
      "{\"clip\": \(quoted($0)), \"loop\": true, \"volume\": \"0.5\", \"fadeOut\": 2, \"duck\": true}"
    }
  }

  private func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// The text within a JSON string.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
