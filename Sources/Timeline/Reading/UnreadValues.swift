/// The values of a project that cannot be read, in whose places stand others, and what is not known for want of them.
public struct UnreadValues: Hashable, Sendable {
  /// The place of an unread value.
  private struct Place: Hashable {
    let path: String
    /// The path without its numbers.
    let shape: String
    /// The unit that it is judged with.
    let unit: String?
  }

  /// The most findings that are told beside such values: more are seldom true, and each takes a look at every value.
  private static let limit = 1000

  private let places: [Place]

  /// Values at paths.
  init(_ paths: [String] = []) {
    places = paths.map { Place(path: $0, shape: Self.shape($0), unit: Self.unit(of: $0)) }
  }

  /// Every value was read.
  public static let none = UnreadValues()

  /// Whether there is one at a path, above it or below it.
  package func touch(_ path: String) -> Bool {
    places.contains { Self.holds($0.path, path) || Self.holds(path, $0.path) }
  }

  /// The findings that are true whatever the values are, up to a number that a person can use, with a last one for those
  /// that were not looked at.
  package func certain(of findings: [Finding]) -> [Finding] {
    guard !places.isEmpty else { return findings }
    var told: [Finding] = []
    for (number, finding) in findings.enumerated() where !hide(finding) {
      guard told.count < Self.limit else { return told + [.more(findings.count - number)] }
      told.append(finding)
    }
    return told
  }

  /// Whether a finding may be about a substitute for such a value, so that it may be wrong.
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

  /// Whether a path is that of a value or of a part of it.
  private static func holds(_ value: String, _ path: String) -> Bool {
    path.hasPrefix(value)
      && (path.count == value.count || [".", "["].contains(path.dropFirst(value.count).prefix(1)))
  }

  /// A path without its numbers.
  private static func shape(_ path: String) -> String { path.replacing(/\[\d+\]/, with: "[]") }

  /// The unit that a value is judged with: a clip, a segment, a chapter, or a list of values in which omitting one
  /// moves up the others.
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

  /// Whether a file is there, whatever is done with it.
  private static func standsAlone(_ shape: String) -> Bool {
    ["sequence[].clip", "music[].clip", "sequence[].map"].contains(shape)
  }

  /// Whether the shape of a path is one of some patterns: `*` stands for anything, at the end or at the beginning.
  private static func isAmong(_ patterns: [String], _ shape: String) -> Bool {
    patterns.contains { pattern in
      if pattern.hasSuffix("*") { return shape.hasPrefix(pattern.dropLast()) }
      if pattern.hasPrefix("*") { return shape.hasSuffix(pattern.dropFirst()) }
      return shape == pattern
    }
  }

  /// The other values that findings at some places depend on.
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
