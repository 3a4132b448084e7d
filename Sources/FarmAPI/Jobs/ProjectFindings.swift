import Crypto

/// The findings on a project: the response to `POST /projects/check`.
public struct ProjectFindings: Hashable, Codable, Sendable {
  /// A problem in a project.
  public struct Finding: Hashable, Codable, Sendable {
    /// The place in the project file, such as `sequence[2].clip`; empty if the finding is about the whole project.
    public var path: String
    /// The keys and indexes of ``path``, from the outermost to the innermost, such as `["sequence", "2", "clip"]`.
    public var steps: [String]
    /// The problem and its remedy.
    public var message: String
    /// Whether the project can be rendered despite the finding.
    public var isWarning: Bool
    /// The digest of the asset that has to be uploaded, if that is the problem.
    public var missingAsset: Digest?

    /// Creates a finding.
    public init(
      path: String = "", steps: [String] = [], message: String, isWarning: Bool = false,
      missingAsset: Digest? = nil
    ) {
      self.path = path
      self.steps = steps
      self.message = message
      self.isWarning = isWarning
      self.missingAsset = missingAsset
    }
  }

  /// The findings. A job with this project would be accepted and planned if there are none but warnings.
  public var findings: [Finding]

  /// Creates a response.
  public init(findings: [Finding]) { self.findings = findings }
}
