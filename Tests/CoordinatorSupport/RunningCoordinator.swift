import Foundation
import Support

/// The real program, serving a data directory on a free port.
package struct RunningCoordinator {
  package let process: Subprocess
  /// The origin at which it listens.
  package let origin: String
  /// The base URL of its API.
  package var url: String { origin + "/api/v1" }

  /// Starts it and waits until it listens.
  ///
  /// - Parameter log: an existing file for what it writes to standard error; `nil` for the test's own.
  package init(data: String, _ arguments: [String] = [], log: String? = nil) throws {
    process = Program.coordinator.process(
      ["serve", "--data", data, "--port", "0", "--quiet"] + arguments)
    if let log { process.standardError = try .writing(log) }
    origin = try process.startListening()
  }

  /// Kills it without warning, and waits for its end.
  package func kill() {
    process.destroy()
  }
}
