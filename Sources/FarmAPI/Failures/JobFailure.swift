import ProjectFormat
import Timeline

/// The reason why a job failed.
public struct JobFailure: Hashable, Codable, Sendable {
  /// A stable code, e.g. `invalid-project`, `unsupported-codec`.
  public var code: FailureCode
  /// The problem, its subject and the remedy, with one line for each finding.
  public var message: String

  /// Creates a failure.
  public init(code: FailureCode, message: String) {
    self.code = code
    self.message = message
  }

  /// The failure of a project with findings.
  public init(_ error: ProjectError) {
    self.init(code: .invalidProject, message: error.lines.joined(separator: "\n"))
  }

  /// The maximum number of bytes that a coordinator keeps of a message: 64 KiB.
  public static let longestMessage = 64 << 10

  /// The failure with its message shortened to the length that a coordinator keeps.
  public var shortened: JobFailure {
    JobFailure(code: code, message: message.shortened(toBytes: Self.longestMessage))
  }
}
