import Glibc

/// Signals that were already blocked when the process started. It inherits them from the thread that started it.
public enum BlockedSignals {
  /// Unblocks all signals. Call it on the first thread before there are others, because threads inherit the mask.
  public static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }
}
