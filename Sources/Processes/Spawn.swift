import CLinux
import Foundation

/// Starts processes.
public enum Spawn {
  /// Starts a child that inherits only three descriptors.
  ///
  /// The child has its own process group, so that only this process handles a Ctrl-C at the terminal. It has no blocked
  /// or ignored signals, and only the environment variables of ``ChildEnvironment``.
  ///
  /// - Parameters:
  ///   - executable: the file to run.
  ///   - arguments: the argument vector, which starts with the child's name.
  /// - Throws: ``ProcessError``.
  public static func start(
    _ executable: String, _ arguments: [String], input: Int32, output: Int32, errors: Int32
  ) throws(ProcessError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    _ = sheaf_spawn_close_from(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var variables = Self.variables()
    defer { for pointer in variables { free(pointer) } }
    var pid = pid_t()
    let result = posix_spawn(&pid, executable, &actions, &attributes, &vector, &variables)
    guard result == 0 else { throw ProcessError("cannot start a media process", result) }
    return pid
  }

  private static func variables() -> [UnsafeMutablePointer<CChar>?] {
    var passed = ChildEnvironment.allowed()
    // Swift's runtime starts a program to print where a process crashed, which the sandbox forbids.
    passed["SWIFT_BACKTRACE"] = "enable=no"
    return passed.map { strdup("\($0.key)=\($0.value)") } + [nil]
  }
}

/// The error for a process that could not be started.
public struct ProcessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the failure.
  public let message: String

  /// A description of the failure.
  public var description: String { message }

  /// Creates an error from the operation that failed and the system's error number.
  public init(_ problem: String, _ number: Int32) {
    message = "\(problem): \(String(cString: strerror(number)))"
  }
}
