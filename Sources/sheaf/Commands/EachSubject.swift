import Arguments
import FarmAPI

/// Acts on several jobs or workers, one after the other.
enum EachSubject {
  /// Calls `body` for each subject. A failure is reported at once, and does not keep the others from their turns.
  ///
  /// - Throws: ``CommandFailure`` with the highest exit code of the failures.
  static func run(
    _ subjects: [String], on console: Console, _ body: (String) async throws -> Void
  ) async throws {
    var worst: ExitCode?
    for subject in subjects {
      do {
        try await body(subject)
      } catch let failure as CommandFailure
        where ![.interrupted, .outputClosed].contains(failure.exitCode)
      {
        console.report(failure)
        worst = max(worst ?? .success, failure.exitCode)
      }
    }
    if let worst { throw CommandFailure(worst, lines: []) }
  }
}
