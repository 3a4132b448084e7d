import Foundation

/// How a process ended.
public enum ProcessEnding: Hashable, Sendable {
  /// With an exit code.
  case exited(Int32)
  /// By a signal.
  case signalled(Int32)

  /// The ending in a wait status of Linux: the low seven bits are the signal, the next eight the exit code.
  public init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }

  /// What to say of a process that ended without an answer, after its name.
  public var explanation: String {
    switch self {
    case .signalled(SIGXCPU): "used more processor time than it may"
    case .signalled(SIGKILL): "was killed: by somebody, or for want of memory"
    case .signalled(SIGXFSZ): "wrote more than it may"
    case .signalled(SIGSYS): "asked the system for what it may not have"
    case .signalled(let signal):
      "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .exited(let code): "ended with code \(code) and no answer"
    }
  }
}
