import Foundation
import Support

/// The real program, serving a data directory on a free port.
struct RunningCoordinator {
  let process: Process
  /// Where it listens.
  let origin: String
  /// Where its protocol begins.
  var url: String { origin + "/api/v1" }

  /// Starts it and waits until it listens.
  init(data: String, _ arguments: [String] = []) throws {
    process = Program.coordinator.process(
      ["serve", "--data", data, "--port", "0", "--quiet"] + arguments)
    origin = try process.startListening()
  }

  /// Ends it without warning.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
