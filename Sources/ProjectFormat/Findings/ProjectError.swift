import Timeline

/// The reason why a project cannot be rendered, with all findings.
public struct ProjectError: Error, Hashable, Codable, Sendable {
  /// The kind of failure.
  public struct Code: Hashable, Codable, Sendable, CustomStringConvertible {
    private enum Name: String, Codable {
      case malformed = "malformed"
      case tooLarge = "too-large"
      case invalid = "invalid"
    }
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
  /// The number of further findings, which are not listed.
  public let omittedCount: Int

  /// Creates an error from findings.
  public init(code: Code = .invalid, findings: [Finding], omittedCount: Int = 0) {
    self.code = code
    self.findings = findings
    self.omittedCount = omittedCount
  }

  package init(code: Code = .invalid, path: FindingPath, problem: String, remedy: String) {
    self.init(code: code, findings: [Finding(path: path, problem: problem, remedy: remedy)])
  }

  /// The findings as text, one line each, and a line with the number of further ones.
  public var lines: [String] { findings.map(\.description) + [omission].compactMap(\.self) }

  /// The sentence with the number of further findings, if there are any.
  package var omission: String? {
    omittedCount > 0
      ? "\(omittedCount) more problems were found: fix the ones above first" : nil
  }
}

extension ProjectError: CustomStringConvertible {
  /// The lines, separated by line feeds.
  public var description: String { lines.joined(separator: "\n") }
}
