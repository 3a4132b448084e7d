import Arguments
import FarmAPI

/// The result of one check of `sheaf doctor`.
package struct Diagnosis: Hashable, Sendable {
  /// The state of what was checked.
  package enum State: String, Hashable, Codable, Sendable {
    /// It works.
    case ok = "ok"
    /// It works, but something may go wrong.
    case warning = "warning"
    /// It does not work.
    case failed = "failed"
    /// It was not checked.
    case skipped = "skipped"
  }

  /// The subject of the check, in one or two words.
  package let check: String
  package let state: State
  /// The finding.
  package let message: String
  /// The remedy, if something is wrong.
  package let remedy: String?
  /// The exit code, if the check failed.
  package let exitCode: ExitCode

  private init(
    _ check: String, _ state: State, _ message: String, _ remedy: String?,
    _ exitCode: ExitCode = .success
  ) {
    self.check = check
    self.state = state
    self.message = message
    self.remedy = remedy
    self.exitCode = exitCode
  }

  /// A check that found nothing wrong.
  package static func ok(_ check: String, _ message: String) -> Diagnosis {
    Diagnosis(check, .ok, message, nil)
  }

  /// A check that found something that may go wrong.
  package static func warning(_ check: String, _ message: String, fix: String) -> Diagnosis {
    Diagnosis(check, .warning, message, fix)
  }

  /// A check that found something that does not work.
  package static func failed(
    _ check: String, _ message: String, fix: String, exitCode: ExitCode = .failed
  ) -> Diagnosis {
    Diagnosis(check, .failed, message, fix, exitCode)
  }

  /// A check that was not made.
  ///
  /// - Parameter fix: how to include it.
  package static func skipped(
    _ check: String, _ message: String, fix: String? = nil
  ) -> Diagnosis {
    Diagnosis(check, .skipped, message, fix)
  }

  /// The longest state and a space.
  private static let indent = 9

  /// The lines for a terminal of a width: the state, the finding, and in further lines the remedy.
  package func lines(columns: Int?) -> [String] {
    let blank = String(repeating: " ", count: Self.indent)
    let width = columns.map { max($0 - Self.indent, 1) }
    var lines = WrappedText.lines("\(PrintableText("\(check): \(message)"))", columns: width)
      .enumerated().map { number, line in
        (number == 0 ? state.rawValue.padding(to: Self.indent) : blank) + line
      }
    if let remedy {
      let label = state == .skipped ? "to include it" : "fix"
      lines += WrappedText.lines("\(PrintableText("\(label): \(remedy)"))", columns: width)
        .map { blank + $0 }
    }
    return lines
  }
}

/// The results of `sheaf doctor` as JSON.
package struct DiagnosisReport: Codable, Hashable, Sendable {
  package struct Row: Codable, Hashable, Sendable {
    /// The subject of the check.
    package let check: String
    package let state: Diagnosis.State
    /// The finding.
    package let message: String
    /// The remedy, if something is wrong.
    package let remedy: String?
  }

  /// The version of `sheaf`.
  package let version: String
  package let checks: [Row]

  package init(_ diagnoses: [Diagnosis]) {
    version = SheafVersion.current
    checks = diagnoses.map {
      Row(check: $0.check, state: $0.state, message: $0.message, remedy: $0.remedy)
    }
  }
}
