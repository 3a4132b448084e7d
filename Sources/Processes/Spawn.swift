import CLinux
import Foundation

/// A process to start.
///
/// It gets its own process group, so that only this process handles a Ctrl-C at the terminal. It has no blocked or
/// ignored signals. It has only the listed descriptors, and one more if its program was pinned
/// (``SiblingProgram/pin(_:)``).
public struct Spawn: Sendable {
  /// An open file of the new process.
  public enum Descriptor: Hashable, Sendable {
    /// A copy of a descriptor of this process.
    case copy(Int32)
    /// An empty input, and an output that is thrown away.
    case null
    /// A file to append to, which is created if there is none.
    case appending(String)
  }

  /// The path of the file to run.
  public var executable: String
  /// The argument vector, which starts with the process's name.
  public var arguments: [String]
  /// Its open files, numbered from 0.
  public var descriptors: [Descriptor]
  /// All environment variables; the process inherits no others.
  public var environment: [String: String]
  /// Its working directory; `nil` for this process's.
  public var directory: String?
  /// The name of the process in errors.
  public var subject: String

  /// Describes a process.
  public init(
    _ executable: String, _ arguments: [String], descriptors: [Descriptor],
    environment: [String: String] = ChildEnvironment.allowed(), directory: String? = nil,
    subject: String
  ) {
    self.executable = executable
    self.arguments = arguments
    self.descriptors = descriptors
    self.environment = environment
    self.directory = directory
    self.subject = subject
  }

  /// Starts the process.
  public func start() throws(ProcessError) -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // A copy of a low descriptor might be overwritten before it is copied.
    var lifted: [Int32] = []
    defer { for descriptor in lifted { close(descriptor) } }
    let program = SiblingProgram.descriptor(of: executable)
    let opened = descriptors + (program.map { [.copy($0)] } ?? [])
    for (number, descriptor) in opened.enumerated() {
      let number = Int32(number)
      switch descriptor {
      case .copy(var source):
        if source < opened.count {
          source = fcntl(source, F_DUPFD_CLOEXEC, Int32(opened.count))
          guard source >= 0 else { throw failure(errno) }
          lifted.append(source)
        }
        posix_spawn_file_actions_adddup2(&actions, source, number)
      case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .appending(let path):
        posix_spawn_file_actions_addopen(
          &actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      }
    }
    _ = sheaf_spawn_close_from(&actions, Int32(opened.count))
    if let directory { _ = sheaf_spawn_change_directory(&actions, directory) }
    let path = program.map { _ in SiblingProgram.path(ofDescriptor: Int32(descriptors.count)) }
    return try start(path ?? executable, with: &actions)
  }

  private func start(
    _ path: String, with actions: inout posix_spawn_file_actions_t
  ) throws(ProcessError) -> ChildProcess {
    sheaf_learn_endings()
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
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in variables { free(pointer) } }
    var id = pid_t()
    let result = posix_spawn(&id, path, &actions, &attributes, &vector, &variables)
    guard result == 0 else { throw failure(result) }
    return ChildProcess(id: id)
  }

  private func failure(_ number: Int32) -> ProcessError {
    number == ENOENT && access(executable, F_OK) != 0
      ? ProcessError(notFound: executable) : ProcessError("cannot start \(subject)", number)
  }
}
