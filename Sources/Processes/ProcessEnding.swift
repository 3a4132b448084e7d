import CLinux
import Foundation

/// How a process ended.
public enum ProcessEnding: Hashable, Sendable {
  /// With an exit code.
  case exited(Int32)
  /// By a signal.
  case signaled(Int32)

  /// Decodes a Linux wait status: the low seven bits are the signal, the next eight the exit code.
  public init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
  }

  /// Whether a child has ended but has not been waited for.
  static func isDue(of child: pid_t) -> Bool {
    var information = siginfo_t()
    let result = waitid(P_PID, id_t(child), &information, WEXITED | WNOHANG | WNOWAIT)
    return result == 0 && information.si_signo != 0
  }

  /// Waits until a child has ended. Its process id is not reused until it is reaped.
  static func waitWithoutReaping(_ child: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Reaps a child that has ended.
  static func reap(_ child: pid_t) -> ProcessEnding {
    let processorLimit = sheaf_reached_processor_limit(child)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
    let ending = ProcessEnding(waitStatus: status)
    // A child that ignores SIGXCPU gets SIGKILL a second later, the same signal as a kill from outside. Children that set
    // no limits may have inherited equal ones, which they have hardly used. The kernel checks the limit by another clock
    // than the one that it reports, so only the magnitudes are compared.
    let seconds = UInt64(max(0, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1))
    guard ending == .signaled(SIGKILL), seconds >= processorLimit / 2 else { return ending }
    return .signaled(SIGXCPU)
  }

  /// Whether the process was killed from outside: by a person, another program, or the kernel because memory ran out.
  ///
  /// A process's own faults and limits never end it with one of these signals.
  public var isFromOutside: Bool {
    switch self {
    case .signaled(SIGKILL), .signaled(SIGTERM), .signaled(SIGINT), .signaled(SIGHUP),
      .signaled(SIGQUIT):
      true
    case .signaled, .exited: false
    }
  }

  /// How a process ended without an answer, as a phrase that follows its name.
  public var explanation: String {
    switch self {
    case .signaled(SIGXCPU): "exceeded its limit on processor time"
    case .signaled(SIGKILL):
      "was killed with SIGKILL, by the kernel because the host ran out of memory, or by a user"
    case .signaled(SIGXFSZ): "exceeded its limit on file size"
    case .signaled(SIGSYS): "made a system call that the sandbox forbids"
    case .signaled(let signal):
      "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .exited(let code): "ended with code \(code) without an answer"
    }
  }
}
