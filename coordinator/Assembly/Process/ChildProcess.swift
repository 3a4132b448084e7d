import CLinux
import Confinement
import Foundation
import Synchronization
import Threads

/// A child process of this executable, spoken to in lines over its standard input and output.
///
/// The actor runs on a thread of its own: speaking blocks, and the child is told by the kernel to die with the
/// thread that started it.
actor ChildProcess {
  private let executor: ThreadExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private struct State {
    /// The process, while it has not been waited for.
    var id: pid_t?
    /// Whether it is to end at once, or not to be started at all.
    var isKilled = false
  }

  /// Held while the process is started or signalled, so that none is missed and its id is its own.
  private let state = Mutex(State())
  private let executable: String
  private let arguments: [String]
  private var socket: Int32 = -1
  private var errors: Int32 = -1
  private var received: [UInt8] = []
  private var ending: ProcessEnding?

  /// A child that will be started with `arguments` at the first request.
  init(_ executable: String, _ arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
    executor = ThreadExecutor(name: "child-\(arguments.dropFirst().first ?? "")")
  }

  deinit {
    if socket >= 0 { close(socket) }
    if errors >= 0 { close(errors) }
    state.withLock { state in
      guard let pid = state.id else { return }
      state.id = nil
      _ = Foundation.kill(pid, SIGKILL)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Ends the child at once, or keeps it from being started. Whoever waits for an answer gets an end of stream.
  nonisolated func kill() {
    state.withLock { state in
      state.isKilled = true
      if let pid = state.id { _ = Foundation.kill(pid, SIGKILL) }
    }
  }

  /// Sends a line and waits for the answer's line; `nil` where the child ended instead.
  func ask(_ line: Data) throws -> Data? {
    try startIfNeeded()
    send(line + Data([UInt8(ascii: "\n")]))
    return receive()
  }

  /// Waits for the child's end.
  func wait() -> ProcessEnding {
    if let ending { return ending }
    shutdown(socket, Int32(SHUT_WR))
    guard let pid = state.withLock({ $0.id }) else { return .exited(-1) }
    // The id stays the child's until it is waited for, and `kill` may need it until then.
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    var status: Int32 = 0
    state.withLock { state in
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      state.id = nil
    }
    let found = ProcessEnding(waitStatus: status)
    ending = found
    return found
  }

  /// The end of what the child wrote to its standard error.
  func lastErrors() -> String {
    var buffer = [UInt8](repeating: 0, count: 2048)
    let size = lseek(errors, 0, Int32(SEEK_END))
    let count = pread(errors, &buffer, buffer.count, max(0, size - off_t(buffer.count)))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  private func startIfNeeded() throws {
    guard socket < 0 else { return }
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw ProcessError("cannot start a media process: no socket", errno)
    }
    defer { close(pair[1]) }
    socket = pair[0]
    errors = sheaf_memory_file("errors")
    guard errors >= 0 else { throw ProcessError("cannot start a media process: no memory", errno) }
    try state.withLock { state in
      guard !state.isKilled else { return }
      state.id = try Spawn.start(
        executable, ["sheaf-coordinator"] + arguments, input: pair[1], output: pair[1],
        errors: errors)
    }
  }

  private func send(_ data: Data) {
    var rest = ArraySlice([UInt8](data))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      // A child that is gone is noticed when its answer does not come.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func receive() -> Data? {
    var searched = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(received[..<end])
        received.removeSubrange(...end)
        return line
      }
      searched = received.count
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      received += buffer.prefix(count)
    }
  }
}
