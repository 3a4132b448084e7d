import Foundation
import Support
import Testing

/// The HTTP API of a farm with tokens and TLS, as `curl` and validators see it (`Tests/API`).
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct APIPageTests {
  private static let hasCurl = ["curl", "jq"].allSatisfy(Tool.isInstalled)
  private static let hasValidator =
    (try? Tool.run(Tool.python, ["-c", "import jsonschema"])) != nil

  @Test(.enabled(if: hasCurl, "needs curl and jq"))
  func `docs/api.md has an example of every route, and each does what the page shows`() throws {
    try run("page")
  }

  @Test(.enabled(if: hasValidator, "needs python3-jsonschema"))
  func `the description of the API is valid, and describes the body of every response`() throws {
    try run("description")
  }

  /// Runs a check, and reports what it finds.
  private func run(_ check: String) throws {
    let checks = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../API")
    let programs = URL(filePath: Program.coordinator.path).deletingLastPathComponent()
    do {
      try Tool.run(Tool.python, ["-B", checks.path, check, programs.path])
    } catch let failure as Tool.Failure {
      Issue.record("\(failure.standardError)")
    }
  }
}
