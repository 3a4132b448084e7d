import Foundation
import Support

/// The real program, serving a data directory on a free port.
struct RunningCoordinator {
  let process: Subprocess
  /// The origin at which it listens.
  let origin: String
  /// The base URL of its API.
  var url: String { origin + "/api/v1" }

  /// Starts it and waits until it listens.
  init(data: String, _ arguments: [String] = []) throws {
    process = Program.coordinator.process(
      ["serve", "--data", data, "--port", "0", "--quiet"] + arguments)
    origin = try process.startListening()
  }

  /// Kills it without warning, and waits for its end.
  func kill() {
    process.destroy()
  }
}
