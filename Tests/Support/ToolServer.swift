import Foundation
import Processes
import Synchronization

/// A loaded command-line tool that starts copies of itself (`Tests/ToolServer`).
final class ToolServer: Sendable {
  /// The servers by the name of their tool; `nil` for a tool that has none.
  private static let servers = Mutex<[String: ToolServer?]>([:])

  /// The server's process. It ends with this one.
  private let process: ChildProcess
  /// The socket. Locked during an exchange.
  private let socket: Mutex<Int32>

  /// Starts the server of a tool in the search path. Returns `nil` if the tool or the library is missing.
  private init?(_ name: String) {
    let library = Program(name: "libToolServer.so").path
    guard let tool = Tool.path(of: name), FileManager.default.fileExists(atPath: library),
      let (ours, theirs) = try? Descriptors.socketPair()
    else { return nil }
    let environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library]) { $1 }
    // Copies are killed when the thread that started the server ends.
    let process = try? ProcessStarter.shared.start(
      Spawn(
        tool, [tool], descriptors: [.copy(theirs), .null, .null], environment: environment,
        subject: name))
    close(theirs)
    guard let process else {
      close(ours)
      return nil
    }
    self.process = process
    socket = Mutex(ours)
  }

  /// Starts a tool whose standard streams are existing files; `nil` if it has no server.
  static func start(
    _ name: String, _ arguments: [String], input: String, output: String, errors: String
  ) -> ChildProcess? {
    let server = servers.withLock { servers in
      if let known = servers[name] { return known }
      let server = ToolServer(name)
      servers[name] = .some(server)
      return server
    }
    return server?.start([input, output, errors, name] + arguments)
  }

  private func start(_ words: [String]) -> ChildProcess? {
    let request = Data(words.flatMap { Array($0.utf8) + [UInt8(0)] })
    let length = withUnsafeBytes(of: UInt32(request.count)) { Data($0) }
    let message = length + request
    let answer = socket.withLock { socket -> Data? in
      // A server that has died must not end this process with SIGPIPE.
      let sent = message.withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent == message.count else { return nil }
      return try? FileHandle(fileDescriptor: socket, closeOnDealloc: false)
        .read(upToCount: MemoryLayout<pid_t>.size)
    }
    guard let answer, answer.count == MemoryLayout<pid_t>.size else { return nil }
    let id = answer.withUnsafeBytes { $0.loadUnaligned(as: pid_t.self) }
    return id > 0 ? ChildProcess(adopting: id) : nil
  }
}
