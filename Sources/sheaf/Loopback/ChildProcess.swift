import Foundation
import Processes
import Threads

/// A Sheaf program that this process runs in its own process group. The child exits when this process ends, because
/// that closes the pipe to its standard input.
final class ChildProcess: Sendable {
  /// The id of the process and of its group.
  let id: pid_t
  /// The reading end of the child's standard output.
  let output: FileHandle
  private let input: FileHandle
  /// The file that receives the child's standard error.
  let log: String
  private let exit: Task<Int32, any Error>

  /// Starts a program in this program's directory.
  ///
  /// - Parameter lock: a descriptor that the child keeps open until it ends.
  /// - Throws: ``CommandFailure``.
  init(_ program: String, _ arguments: [String], log: String, holding lock: Int32) throws {
    let path = try Self.path(of: program)
    let (readInput, writeInput) = try Self.pipe()
    let (readOutput, writeOutput) = try Self.pipe()
    defer {
      close(readInput)
      close(writeOutput)
    }
    input = FileHandle(fileDescriptor: writeInput, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: readOutput, closeOnDealloc: true)
    self.log = log
    id = try Self.spawn(
      path, arguments, input: readInput, output: writeOutput, log: log, lock: lock)
    let id = id
    exit = Task {
      try await BlockingThread.runUntilCancelled(named: "child") { Self.wait(for: id) }
    }
  }

  /// Waits until the child has ended.
  func waitUntilEnded() async { _ = try? await exit.value }

  /// The first line that the child prints; `nil` if it ends without one.
  func firstLine() async throws -> String? {
    let output = output
    return try await BlockingThread.runUntilCancelled(named: "child output") {
      var line: [UInt8] = []
      while let byte = try output.read(upToCount: 1)?.first {
        if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
      return nil
    }
  }

  /// Asks the child to end.
  func terminate() { kill(id, SIGTERM) }

  /// Kills the child and everything that it has started.
  func destroy() { kill(-id, SIGKILL) }

  /// The last lines of the child's standard error, for a message.
  var lastWords: String {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(3).joined(separator: "; ")
  }

  private static func path(of program: String) throws(CommandFailure) -> String {
    // Not /proc/self, which has no executable once the first thread has ended.
    let own = URL(fileURLWithPath: "/proc/thread-self/exe").resolvingSymlinksInPath()
    let path = own.deletingLastPathComponent().appendingPathComponent(program).path
    guard access(path, X_OK) == 0 else {
      throw CommandFailure(
        .failed, "cannot find the program", on: path, remedy: "install it next to sheaf")
    }
    return path
  }

  private static func pipe() throws(CommandFailure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw failure("cannot create a pipe", errno) }
    // A child inherits only the ends that it is given. With another copy open, it would never see its pipe close.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ path: String, _ arguments: [String], input: Int32, output: Int32, log: String, lock: Int32
  ) throws(CommandFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // The child only has to keep the descriptor open; it does not use it.
    posix_spawn_file_actions_adddup2(&actions, lock, lock)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child has its own group, so that Ctrl-C reaches only this process, which then ends its children in order.
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var vector = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for argument in vector { free(argument) } }
    // SHEAF_COORDINATOR and SHEAF_TOKEN, for example, belong to another farm.
    let variables = ChildEnvironment.allowed()
    var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for variable in environment { free(variable) } }
    var id = pid_t()
    let status = posix_spawn(&id, path, &actions, &attributes, &vector, &environment)
    guard status == 0 else { throw failure("cannot start \(path)", status) }
    return id
  }

  private static func failure(_ problem: String, _ number: Int32) -> CommandFailure {
    CommandFailure(.failed, lines: ["\(problem): \(String(cString: strerror(number)))"])
  }

  private static func wait(for id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
