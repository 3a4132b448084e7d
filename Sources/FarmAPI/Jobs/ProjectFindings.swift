/// The findings on a project: the response to `POST /projects/check`.
public struct ProjectFindings: Hashable, Codable, Sendable {
  /// A problem in a project.
  public struct Finding: Hashable, Codable, Sendable {
    /// The place in the project file, such as `sequence[2].clip`; empty if the finding is about the whole project.
    public var path: String
    /// The problem and its remedy.
    public var message: String
    /// Whether the project can be rendered despite the finding.
    public var isWarning: Bool

    /// Creates a finding.
    public init(path: String, message: String, isWarning: Bool = false) {
      self.path = path
      self.message = message
      self.isWarning = isWarning
    }
  }

  /// The findings. A job with this project would be accepted and planned if there are none but warnings.
  public var findings: [Finding]

  /// Creates a response.
  public init(findings: [Finding]) { self.findings = findings }
}
