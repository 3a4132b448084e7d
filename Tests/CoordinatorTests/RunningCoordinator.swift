import Foundation
import Support
import Testing

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
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n"),
      let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty
    { line += byte }
    let text = String(decoding: line.dropLast(), as: UTF8.self)
    let prefix = "listening on "
    try #require(text.hasPrefix(prefix), "the coordinator said: \(text)")
    origin = String(text.dropFirst(prefix.count))
  }

  /// Ends it without warning.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
