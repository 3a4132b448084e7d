import Timeline

/// The reason why a project cannot be rendered, with all findings.
public struct ProjectError: Error, Hashable, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String { case malformed, tooLarge, invalid }
    private let name: Name

    /// The file is not valid JSON in UTF-8.
    public static let malformed = Code(name: .malformed)
    /// The file is larger than ``ProjectDocument/byteLimit``.
    public static let tooLarge = Code(name: .tooLarge)
    /// The file is valid JSON, but does not describe a project that can be rendered.
    public static let invalid = Code(name: .invalid)

    /// The code's stable name.
    public var description: String { name.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The findings in file order; at least one.
  public let findings: [Finding]

  /// Creates an error from findings.
  public init(code: Code = .invalid, findings: [Finding]) {
    self.code = code
    self.findings = findings
  }

  package init(code: Code = .invalid, path: FindingPath, problem: String, remedy: String) {
    self.init(code: code, findings: [Finding(path: path, problem: problem, remedy: remedy)])
  }

  /// The findings as text, one line each.
  public var lines: [String] { findings.map(\.description) }
}

extension ProjectError: CustomStringConvertible {
  /// The lines, separated by line feeds.
  public var description: String { lines.joined(separator: "\n") }
}
