import Foundation

/// A program between clients and a server on this host. It ends with this object.
final class LoopbackProgram: Sendable {
  /// The port of the loopback address on which it listens.
  let port: UInt16
  private let process: Subprocess
  private let folder: TemporaryDirectory

  /// nginx did not start.
  struct Stopped: Error {}

  private static let tries = 10

  /// Starts haproxy with a socket that already listens, so that no other program can take its port.
  ///
  /// - Parameter configuration: makes the configuration from the address of the `bind` line.
  init(haproxy configuration: (_ address: String) -> String) throws {
    folder = try TemporaryDirectory()
    let socket = try SilentPort()
    port = socket.number
    let file = folder.path("configuration")
    try Data(configuration("fd@0").utf8).write(to: URL(filePath: file))
    process = Self.program("haproxy", ["-db", "-f", file])
    process.standardInput = .descriptor(try socket.startListening())
    try process.run()
    withExtendedLifetime(socket) {}
  }

  /// Starts nginx on a free port. If another program takes the port first, nginx gets a new one.
  ///
  /// - Parameter configuration: makes the configuration from a folder for nginx's files, and the port.
  init(nginx configuration: (_ folder: String, _ port: UInt16) -> String) throws {
    folder = try TemporaryDirectory()
    (process, port) = try Self.startNginx(in: folder, configuration)
  }

  private static func startNginx(
    in folder: TemporaryDirectory, _ configuration: (String, UInt16) -> String
  ) throws -> (Subprocess, UInt16) {
    let file = folder.path("configuration")
    for _ in 0..<tries {
      let port = try SilentPort().number
      try Data(configuration(folder.path, port).utf8).write(to: URL(filePath: file))
      let process = program("nginx", ["-p", folder.path, "-c", file, "-e", folder.path("log")])
      try process.run()
      try blockUntil("nginx listens at port \(port), or ends") {
        !process.isRunning || listens(process, on: port)
      }
      if process.isRunning { return (process, port) }
    }
    throw Stopped()
  }

  private static func program(_ name: String, _ arguments: [String]) -> Subprocess {
    let process = Subprocess("/usr/sbin/\(name)", arguments)
    process.standardOutput = .null
    process.standardError = .null
    return process
  }

  /// Whether this process listens on a port of the loopback address.
  private static func listens(_ process: Subprocess, on port: UInt16) -> Bool {
    let sockets = ((try? ListedSocket.all(at: port)) ?? []).filter(\.isListening)
      .map { "socket:[\($0.inode)]" }
    let files = "/proc/\(process.id)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
    return names.contains { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\(name)")
      guard let target else { return false }
      return sockets.contains(target)
    }
  }

  deinit {
    process.destroy()
  }
}
