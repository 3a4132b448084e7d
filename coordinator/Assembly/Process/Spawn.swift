import CLinux
import Foundation

/// Starts processes.
enum Spawn {
  /// Starts a child with nothing of ours but three descriptors.
  ///
  /// It gets a process group of its own, so that a Ctrl-C at the terminal is for the coordinator to handle, and no
  /// blocked signals.
  static func start(
    _ executable: String, _ arguments: [String], input: Int32, output: Int32,
    errors: Int32
  ) throws -> pid_t {
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
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    let name = strdup("sheaf-coordinator")
    var vector: [UnsafeMutablePointer<CChar>?] = [name] + arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var pid = pid_t()
    let result = posix_spawn(&pid, executable, &actions, &attributes, &vector, environ)
    guard result == 0 else { throw ProcessError("cannot start a media process", result) }
    return pid
  }
}
