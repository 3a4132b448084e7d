import Foundation
import Support
import Testing

/// A coordinator process that has begun to listen.
struct ServingCoordinator {
  let process: Process
  let url: String
  let port: UInt16

  /// Starts one on a data directory and waits until it listens.
  ///
  /// - Parameter log: where its standard error goes, appended.
  /// - Throws: ``DidNotListen`` where it ends instead.
  init(data: String, log: FileHandle) throws {
    process = Program.coordinator.process([
      "serve", "--data", data, "--port", "0", "--lease-seconds", "2", "--grace-seconds", "4",
      "--reserve-bytes", "1048576",
      "--exit-with-parent",
    ])
    process.standardInput = Pipe()
    process.standardError = log
    url = try process.startListening()
    port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
  }
}
