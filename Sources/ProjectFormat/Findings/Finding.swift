import Timeline

/// A problem in a project.
public struct Finding: Hashable, Codable, Sendable {
  /// The path in the project file, e.g. `composition.tracks[0].segments[2].source.duration`.
  public var path: FindingPath
  /// The problem, including the invalid value.
  public var problem: String
  /// The remedy, in the imperative.
  public var remedy: String
  /// The name of the asset whose file cannot be examined, if that is the problem.
  public var asset: String?
  /// The paths of other values that the problem or the remedy names, such as a setting that it contradicts.
  public var mentions: [FindingPath]

  /// Creates a finding.
  public init(
    path: FindingPath, problem: String, remedy: String, asset: String? = nil,
    mentions: [FindingPath] = []
  ) {
    self.path = path
    self.problem = problem
    self.remedy = remedy
    self.asset = asset
    self.mentions = mentions
  }

  /// The finding for a feature of the model that this version does not support.
  static func unsupported(_ path: FindingPath, _ what: String, remedy: String) -> Finding {
    Finding(path: path, problem: "\(what) is not supported yet", remedy: remedy)
  }
}

extension [Finding] {
  /// Adds findings for values that have none yet, so that no value is reported twice.
  package mutating func add(_ more: [Finding]) {
    let known = Set(map(\.path))
    self += more.filter { !known.contains($0.path) }
  }
}

extension Finding: CustomStringConvertible {
  /// The path, the problem and the remedy in one line.
  public var description: String { "\(path): \(problem); \(remedy)" }
}
