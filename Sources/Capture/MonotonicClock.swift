import Glibc

/// The clock by which drivers state times.
enum MonotonicClock {
  /// The time since an unspecified moment (CLOCK_MONOTONIC).
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
