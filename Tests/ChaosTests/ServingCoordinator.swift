import Foundation
import Support

/// A coordinator process that has begun to listen.
struct ServingCoordinator {
  /// What a coordinator said instead of where it listens.
  struct DidNotStart: Error, CustomStringConvertible {
    let description: String
  }

  let process: Process
  let port: UInt16
  var url: String { "http://127.0.0.1:\(port)" }

  /// Starts one on a data directory and waits until it listens.
  ///
  /// - Parameter log: where its standard error goes, appended.
  init(data: String, log: FileHandle) throws {
    process = Program.coordinator.process([
      "serve", "--data", data, "--port", "0", "--lease-seconds", "2", "--grace-seconds", "4",
      "--reserve-bytes", "1048576",
      "--exit-with-parent",
    ])
    process.standardInput = Pipe()
    process.standardError = log
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n"),
      let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty
    { line += byte }
    let text = String(decoding: line.dropLast(), as: UTF8.self)
    guard let port = text.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      process.terminate()
      process.waitUntilExit()
      throw DidNotStart(description: "the coordinator did not start: \(text)")
    }
    self.port = port
  }
}
