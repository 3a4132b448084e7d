import Timeline

/// The values of a project that cannot be read and were replaced by placeholders.
///
/// Findings that may be caused by a placeholder are hidden.
public struct UnreadValues: Hashable, Sendable {
  /// The place of an unread value in the project.
  private struct Place: Hashable {
    let path: String
    /// The path with its numbers removed.
    let shape: String
    /// The path of the unit that the value is checked together with.
    let unit: String?
  }

  /// The maximum number of findings to report if there are unread values. More are seldom useful, and each is compared
  /// with every unread value.
  private static let limit = 1000

  private let places: [Place]

  /// Creates the set from the paths of the values.
  init(_ paths: [String] = []) {
    places = paths.map { Place(path: $0, shape: Self.shape($0), unit: Self.unit(of: $0)) }
  }

  /// No unread values.
  public static let none = UnreadValues()

  /// Whether there is an unread value at a path, above it or below it.
  package func touch(_ path: String) -> Bool {
    places.contains { Self.holds($0.path, path) || Self.holds(path, $0.path) }
  }

  /// The findings that hold regardless of the unread values. If there are too many, the last finding states how many
  /// were not examined.
  package func certain(of findings: [Finding]) -> [Finding] {
    guard !places.isEmpty else { return findings }
    var told: [Finding] = []
    for (number, finding) in findings.enumerated() where !hide(finding) {
      guard told.count < Self.limit else { return told + [.more(findings.count - number)] }
      told.append(finding)
    }
    return told
  }

  /// Whether a finding may be wrong because it may be caused by a placeholder.
  private func hide(_ finding: Finding) -> Bool {
    let path = finding.path
    if touch(path) { return true }
    let shape = Self.shape(path)
    let reasons = Self.reasons.filter { Self.isAmong($0.about, shape) }.flatMap(\.unread)
    let standsAlone = Self.standsAlone(shape)
    return places.contains { place in
      place.unit.map { Self.holds($0, path) && !standsAlone } ?? false
        || Self.isAmong(reasons, place.shape)
    }
  }

  /// Whether a path is that of a value or of a part of the value.
  private static func holds(_ value: String, _ path: String) -> Bool {
    path.hasPrefix(value)
      && (path.count == value.count || [".", "["].contains(path.dropFirst(value.count).prefix(1)))
  }

  /// A path with its numbers removed.
  private static func shape(_ path: String) -> String { path.replacing(/\[\d+\]/, with: "[]") }

  /// The unit that a value is checked together with: a clip, a segment, a chapter, or a list whose numbering changes if
  /// a value is omitted.
  private static func unit(of path: String) -> String? {
    if let list = path.firstMatch(
      of: /\.(opacity|transform|crop|volume|progress|speed|animations|under)\[/)
    {
      return String(path[..<list.range.upperBound].dropLast())
    }
    return path.firstMatch(of: /^(sequence|music|.*\.segments|export\.chapters)\[\d+\]/).map {
      String(path[$0.range])
    }
  }

  /// Whether findings at a path are about the file alone, regardless of how it is used.
  private static func standsAlone(_ shape: String) -> Bool {
    ["sequence[].clip", "music[].clip", "sequence[].map"].contains(shape)
  }

  /// Whether the shape of a path matches one of the patterns. `*` at the end or the beginning matches anything.
  private static func isAmong(_ patterns: [String], _ shape: String) -> Bool {
    patterns.contains { pattern in
      if pattern.hasSuffix("*") { return shape.hasPrefix(pattern.dropLast()) }
      if pattern.hasPrefix("*") { return shape.hasSuffix(pattern.dropFirst()) }
      return shape == pattern
    }
  }

  /// The other values that findings at certain places depend on.
  private static let reasons: [(about: [String], unread: [String])] = {
    let (tracks, instructions) = ("composition.tracks[]", "videoComposition.instructions[]")
    let order = [instructions, "\(instructions).timeRange*"]
    return [
      (["export", "export.timeRange"], ["composition*", "videoComposition*", "sequence*"]),
      (["videoComposition.instructions", "\(instructions).timeRange"], ["composition*"] + order),
      (["\(instructions).timeRange.start"], order),
      (
        ["*.track", "audioMix.inputParameters[].duck*"],
        [
          "composition", "composition.tracks", tracks, "\(tracks).id", "\(tracks).mediaType",
          "videoComposition.animation", "videoComposition.animation.track",
        ]
      ),
      (
        ["\(tracks).segments[].trackIndex", "\(tracks).preferredTransform"],
        ["\(tracks).mediaType"]
      ),
      (
        ["\(tracks).segments[].target"],
        ["\(tracks).mediaType", "audioMix*", "export.audio", "export.audio.sampleRate"]
      ),
      (["videoComposition.renderScale"], ["videoComposition.renderSize*"]),
      (
        ["*layers[].start", "*layers[].frameRate", "*layers[].dropFrame"],
        ["videoComposition.frameDuration", "frameRate"]
      ),
      (["*.asset", "*.map"], ["assets"]),
      (
        ["", ".crf", ".bitRate", ".encoderPreset", ".bitDepth", ".profile", ".level", ".tune"]
          .map { "export.video\($0)" } + ["export.video.keyFrameInterval", "export.fileType"],
        ["export.video", "export.video.codec"]
      ),
      (["export.video.profile"], ["export.video.bitDepth"]),
      (
        [".codec", ".bitRate", ".sampleRate", ".bitDepth"].map { "export.audio\($0)" },
        ["export.audio.codec"]
      ),
      (["export.audio.codec"], ["export.fileType"]),
    ]
  }()
}
