import Glibc

/// Signals that a process was started with blocked, as a parent's thread that blocks them hands them on.
public enum BlockedSignals {
  /// Lets every signal reach this process. The first thread calls it before there are others, which inherit its mask.
  public static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }
}
