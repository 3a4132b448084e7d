import Glibc

/// The clock that never jumps, by which the kernel and drivers state times (CLOCK_MONOTONIC).
public enum MonotonicClock {
  /// The time since an unspecified moment.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
