import Glibc

/// Limits on the resources that a process may use.
///
/// There is none on the number of processes, which counts all of a user's: the ``Sandbox`` lets none be started.
public struct ResourceLimits: Hashable, Sendable {
  /// Bytes of address space.
  public var memory: UInt
  /// Bytes that any file it writes may have.
  public var fileSize: UInt
  /// Seconds of processor time.
  public var processorTime: UInt
  /// Open files.
  public var openFiles: UInt

  /// Limits from their values.
  public init(
    memory: UInt, fileSize: UInt, processorTime: UInt, openFiles: UInt = 512
  ) {
    self.memory = memory
    self.fileSize = fileSize
    self.processorTime = processorTime
    self.openFiles = openFiles
  }

  /// Sets the limits on this process, for good, and lets it leave no core.
  func apply() {
    allowEnd()
    set(RLIMIT_AS, memory)
    set(RLIMIT_FSIZE, fileSize)
    // SIGXCPU says what was too much; SIGKILL is for a process that goes on.
    set(RLIMIT_CPU, processorTime, atMost: processorTime + 1)
    set(RLIMIT_NOFILE, openFiles)
    set(RLIMIT_CORE, 0)
  }

  /// Children inherit ignored and blocked signals from their parent, and then no signal would end this process.
  private func allowEnd() {
    var ends = sigset_t()
    sigemptyset(&ends)
    for end in [SIGXFSZ, SIGXCPU] {
      signal(end, SIG_DFL)
      sigaddset(&ends, end)
    }
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  private func set(_ name: __rlimit_resource, _ wanted: UInt, atMost limit: UInt? = nil) {
    let resource = __rlimit_resource_t(name.rawValue)
    var value = rlimit()
    getrlimit(resource, &value)
    // A lower limit from outside stays.
    value.rlim_max = min(rlim_t(limit ?? wanted), value.rlim_max)
    value.rlim_cur = min(rlim_t(wanted), value.rlim_max)
    setrlimit(resource, &value)
  }
}
