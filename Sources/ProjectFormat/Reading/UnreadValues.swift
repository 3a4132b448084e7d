import Timeline

/// The values of a project that cannot be read and were replaced by placeholders.
///
/// Findings that may be caused by a placeholder are hidden.
public struct UnreadValues: Hashable, Sendable {
  /// The place of an unread value in the project.
  private struct Place: Hashable {
    let path: FindingPath
    let shape: FindingPath
    /// The path of the unit that the value is checked together with.
    let unit: FindingPath?
  }

  /// The maximum number of findings to report if there are unread values. More are seldom useful, and each is compared
  /// with every unread value.
  private static let limit = 1000

  private let places: [Place]

  /// Creates the set from the paths of the values.
  init(_ paths: [FindingPath] = []) {
    places = paths.map { Place(path: $0, shape: $0.shape, unit: Self.unit(of: $0)) }
  }

  /// No unread values.
  public static let none = UnreadValues()

  /// Whether there is an unread value at a path, above it or below it.
  package func touch(_ path: FindingPath) -> Bool {
    places.contains { path.isWithin($0.path) || $0.path.isWithin(path) }
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
    let shape = path.shape
    let reasons = FindingDependency.all.filter { $0.about.contains { $0.contains(shape: shape) } }
      .flatMap(\.unread)
    let standsAlone = Self.files.contains { $0.contains(shape: shape) }
    return places.contains { place in
      place.unit.map { path.isWithin($0) && !standsAlone } ?? false
        || reasons.contains { $0.contains(shape: place.shape) }
    }
  }

  /// The places of findings that are about a file alone, regardless of how it is used.
  private static let files: [FindingPlaces] = [
    .at("sequence[0].clip"), .at("music[0].clip"), .at("sequence[0].map"),
  ]

  /// The lists whose numbering changes if a value is omitted.
  private static let lists: Set<String> = [
    "opacity", "transform", "crop", "volume", "progress", "speed", "animations", "under",
  ]

  /// The unit that a value is checked together with: a clip, a segment, a chapter, or a list whose numbering changes if
  /// a value is omitted.
  private static func unit(of path: FindingPath) -> FindingPath? {
    let components = path.components
    /// The place of a list's key, before an index.
    func isList(_ place: Int, _ isNamed: (String) -> Bool) -> Bool {
      guard components.indices.contains(place + 1), case .key(let key) = components[place],
        case .index = components[place + 1]
      else { return false }
      return isNamed(key)
    }
    if let list = components.indices.dropFirst().first(where: { isList($0, lists.contains) }) {
      return FindingPath(Array(components[...list]))
    }
    if isList(0, ["sequence", "music"].contains) {
      return FindingPath(Array(components[...1]))
    }
    if let segments = components.indices.dropFirst().last(where: { isList($0) { $0 == "segments" } }
    ) {
      return FindingPath(Array(components[...(segments + 1)]))
    }
    guard path.isWithin("export.chapters"), isList(1, { $0 == "chapters" }) else { return nil }
    return FindingPath(Array(components[...2]))
  }
}
