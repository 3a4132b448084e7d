import CLinux
import Glibc

/// Prevents core dumps, which would write a process's tokens to disk.
public enum CoreDumps {
  /// Prevents core dumps of this process, to a file or through a system program, and prevents other processes of the
  /// same user from reading its memory. Children inherit the limit on the file.
  public static func prevent() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = sheaf_leave_no_dump()
  }
}
