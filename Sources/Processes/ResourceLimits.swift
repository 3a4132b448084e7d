import Glibc

/// Limits on the resources that a process may use.
///
/// The number of processes is not limited, because that limit counts all of a user's processes: the sandbox forbids
/// starting any.
public struct ResourceLimits: Hashable, Sendable {
  /// The maximum size of the address space in bytes.
  public var memory: UInt
  /// The maximum size of a file that it writes, in bytes.
  public var fileSize: UInt
  /// The maximum processor time in seconds.
  public var processorTime: UInt
  /// The maximum number of open files.
  public var openFiles: UInt

  /// Creates limits.
  public init(
    memory: UInt, fileSize: UInt, processorTime: UInt, openFiles: UInt = 512
  ) {
    self.memory = memory
    self.fileSize = fileSize
    self.processorTime = processorTime
    self.openFiles = openFiles
  }

  /// Sets the limits on this process permanently, and prevents core dumps.
  ///
  /// - Returns: whether the system accepted all of them; if not, `errno` states the reason.
  public func apply() -> Bool {
    allowEnd()
    // SIGXCPU names the exceeded limit; SIGKILL ends a process that continues for a second (ProcessEnding.reap).
    return set(RLIMIT_AS, memory) && set(RLIMIT_FSIZE, fileSize)
      && set(RLIMIT_CPU, processorTime, grace: 1) && set(RLIMIT_NOFILE, openFiles)
      && set(RLIMIT_CORE, 0)
  }

  /// Raises the limit of this process on open files to the maximum that the system allows.
  ///
  /// - Returns: the number of files that the process may now have open; `nil` if the system does not tell.
  public static func raiseOpenFiles() -> UInt? {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var value = rlimit()
    guard getrlimit(resource, &value) == 0 else { return nil }
    var raised = value
    raised.rlim_cur = value.rlim_max
    return UInt(setrlimit(resource, &raised) == 0 ? raised.rlim_cur : value.rlim_cur)
  }

  /// Children inherit ignored and blocked signals from their parent, in which case no signal would end this process.
  private func allowEnd() {
    var ends = sigset_t()
    sigemptyset(&ends)
    for end in [SIGXFSZ, SIGXCPU] {
      signal(end, SIG_DFL)
      sigaddset(&ends, end)
    }
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  /// Sets a limit at which the kernel sends a signal or refuses, and the hard one `grace` above it.
  private func set(_ name: __rlimit_resource, _ wanted: UInt, grace: UInt = 0) -> Bool {
    let resource = __rlimit_resource_t(name.rawValue)
    var value = rlimit()
    guard getrlimit(resource, &value) == 0 else { return false }
    // A lower limit that was set from outside stays.
    value.rlim_max = min(rlim_t(wanted + grace), value.rlim_max)
    value.rlim_cur = value.rlim_max - min(rlim_t(grace), value.rlim_max)
    return setrlimit(resource, &value) == 0
  }
}
