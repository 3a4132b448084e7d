import Foundation

/// The processor time that processes have used.
public enum ProcessorTime {
  /// The whole seconds of processor time that all threads of a process have used; `nil` if it has ended.
  public static func used(by process: pid_t) -> Int? {
    var clock = clockid_t()
    var used = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &used) == 0 else {
      return nil
    }
    return used.tv_sec
  }
}
