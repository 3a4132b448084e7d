import Timeline

/// The content of a project file, in either form.
public enum ProjectDocument: Hashable, Sendable {
  /// The composition form.
  case composition(Project)
  /// The sequence form.
  case sequence(ClipSequence)

  /// The maximum size of a project file, in bytes: 64 MiB.
  public static let byteLimit = 64 << 20
  /// The supported version of the format.
  public static let version = 1

  /// The files in use, by asset name. In a sequence, an asset's name is its path or URL.
  public var assets: [String: Asset] {
    switch self {
    case .composition(let project): project.assets
    case .sequence(let sequence): sequence.assets
    }
  }

  /// The animation layers, if there are any.
  public var animation: Animation? {
    switch self {
    case .composition(let project): project.videoComposition?.animation
    case .sequence(let sequence): sequence.animation
    }
  }

  /// The path of the animation in the document, for messages.
  public var animationPath: FindingPath {
    switch self {
    case .composition: "videoComposition.animation"
    case .sequence: "animation"
    }
  }

  /// The export settings of the file.
  public var export: ExportSettings {
    switch self {
    case .composition(let project): project.export
    case .sequence(let sequence): sequence.export
    }
  }

  /// The project in its composition form. A sequence is expanded.
  ///
  /// - Parameter indexes: The media indexes by asset name.
  /// - Throws: ``ProjectError`` with all problems that prevent expanding a sequence.
  public func project(indexes: [String: MediaIndex]) throws(ProjectError) -> Project {
    switch self {
    case .composition(let project): project
    case .sequence(let sequence): try sequence.expanded(indexes: indexes)
    }
  }

  /// Reads a project file and checks everything that can be checked without its media.
  ///
  /// - Throws: ``ProjectError`` with all findings.
  public static func parse(_ bytes: [UInt8]) throws(ProjectError) -> ProjectDocument {
    let (document, findings, unread) = try read(bytes)
    let all = findings + unread.certain(of: document.findings())
    guard all.isEmpty else { throw ProjectError(findings: all) }
    return document
  }

  /// Reads a project file without checking its values, so that they can be checked together with its media.
  ///
  /// - Returns: The document, with placeholders for values that cannot be read; the findings; and the values that were
  ///   replaced.
  /// - Throws: ``ProjectError`` if the file is not JSON, has neither form, or has more problems than are reported at
  ///   once.
  public static func read(_ bytes: [UInt8]) throws(ProjectError)
    -> (document: ProjectDocument, findings: [Finding], unread: UnreadValues)
  {
    guard bytes.count <= byteLimit else {
      throw ProjectError(
        code: .tooLarge, path: "project",
        problem: "the file has \(bytes.count) bytes, more than the limit of \(byteLimit)",
        remedy: "split the project")
    }
    let root: JSONValue
    do throws(JSONSyntaxError) {
      root = try JSONParser.parse(bytes)
    } catch {
      throw ProjectError(
        code: .malformed, path: .position(line: error.line, column: error.column),
        problem: error.problem, remedy: "correct the JSON")
    }
    let log = FindingLog()
    let document = read(JSONNode(path: "", value: root, log: log))
    guard let document, !log.isFull else { throw ProjectError(findings: log.findings) }
    return (document, log.findings, UnreadValues(log.unread))
  }

  /// The findings that need no media.
  func findings() -> [Finding] {
    switch self {
    case .composition(let project): project.findings()
    case .sequence(let sequence): sequence.findings()
    }
  }

  private static func read(_ root: JSONNode) -> ProjectDocument? {
    guard case .object(let object) = root.value else {
      root.log.noteHole(
        Finding(
          path: "project", problem: "\(root.value.shown) is not a project",
          remedy: "use an object with \"version\" and \"composition\" or \"sequence\""))
      return nil
    }
    let later = ["metadata", "chapters", "subtitles"]
    switch (object["composition"] != nil, object["sequence"] != nil) {
    case (true, false):
      let keys = ["version", "assets", "composition", "videoComposition", "audioMix", "export"]
      guard let members = root.object(keys, later: later) else { return nil }
      checkVersion(members)
      return .composition(Project(reading: members))
    case (false, true):
      guard
        let members = root.object(
          [
            "version", "sequence", "music", "fit", "renderSize", "frameRate", "animation", "titles",
            "export",
          ], later: later)
      else { return nil }
      checkVersion(members)
      return .sequence(ClipSequence(reading: members))
    case (let both, _):
      root.log.noteHole(
        Finding(
          path: "project",
          problem: both
            ? "\"composition\" and \"sequence\" cannot be used together"
            : "\"composition\" or \"sequence\" is missing",
          remedy: both ? "remove one of them" : "add one of them"))
      return nil
    }
  }

  private static func checkVersion(_ members: JSONMembers) {
    guard let node = members.required("version"), let number = node.integer() else { return }
    guard number != version else { return }
    node.refuse("version \(number) is not supported", "use \"version\": \(version)")
  }
}
