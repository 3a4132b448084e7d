import Glibc

extension SystemCallFilter {
  /// The filter for a process that opens media. The process computes, starts threads, and uses files and inherited
  /// descriptors.
  ///
  /// - Parameters:
  ///   - keepsSocketOptions: see ``Sandbox/keepsSocketOptions``.
  ///   - ioctls: see ``Sandbox/ioctls``.
  static func forMedia(
    keepsSocketOptions: Bool = false, ioctls: [UInt64] = []
  ) throws(SandboxError) -> SystemCallFilter {
    let filter = try SystemCallFilter()
    for calls in [memory, threads, time, signals, identity, files, waiting, handed] {
      try filter.add(.allow, calls)
    }
    try filter.add(.kill, forbidden)
    try filter.add(.refuse(EPERM), refused)
    try addDeviceRequests(ioctls, to: filter)
    if keepsSocketOptions {
      for option in [SO_SNDBUF, SO_RCVBUF, SO_RCVTIMEO] {
        // A call that fails with no error number has no effect, and seems to succeed.
        try filter.add(
          .refuse(0), ["setsockopt"],
          where: [.equals(1, UInt64(SOL_SOCKET)), .equals(2, UInt64(option))])
      }
    } else {
      try filter.add(.refuse(EPERM), ["setsockopt"])
    }
    try addArguments(to: filter)
    return filter
  }

  private static let memory = [
    "brk", "madvise", "membarrier", "mincore", "mmap", "mprotect", "mremap", "munmap",
  ]

  private static let threads = [
    "arch_prctl", "exit", "exit_group", "futex", "getcpu", "rseq", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_yield", "set_robust_list", "set_tid_address",
  ]

  private static let time = [
    "clock_getres", "clock_gettime", "clock_nanosleep", "getrusage", "gettimeofday", "nanosleep",
    "restart_syscall", "time", "times",
  ]

  private static let signals = [
    "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend",
    "rt_sigtimedwait", "sigaltstack",
  ]

  private static let identity = [
    "capget", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid",
    "getppid", "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit", "getsid",
    "gettid", "getuid", "sysinfo", "umask", "uname",
  ]

  /// Calls on files. Landlock decides which files are accessible.
  private static let files = [
    "access", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fallocate", "fdatasync", "flock", "fstat",
    "fstatfs", "fsync", "ftruncate", "getcwd", "getdents", "getdents64", "lseek", "lstat",
    "mkdir", "mkdirat", "newfstatat", "pread64", "preadv", "preadv2", "pwrite64",
    "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat", "readv", "rename",
    "renameat", "renameat2", "rmdir", "sendfile", "stat", "statfs", "statx", "sync_file_range",
    "unlink", "unlinkat", "write", "writev",
  ]

  private static let waiting = [
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "pipe", "pipe2", "poll", "ppoll", "pselect6", "select",
    "timerfd_create", "timerfd_gettime", "timerfd_settime",
  ]

  /// Calls on inherited sockets. The process cannot open others.
  private static let handed = [
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmsg", "sendmsg", "shutdown",
  ]

  /// Calls that libraries never make by themselves.
  private static let forbidden = [
    "add_key", "bpf", "chroot", "delete_module", "execve", "execveat", "finit_module",
    "fsconfig", "fsmount", "fsopen", "init_module", "kexec_file_load", "kexec_load", "keyctl",
    "mount", "mount_setattr", "move_mount", "open_tree", "perf_event_open", "pidfd_getfd",
    "pidfd_open", "pivot_root", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl",
    "reboot", "request_key", "setns", "swapoff", "swapon", "umount2", "unshare", "userfaultfd",
  ]

  /// Calls that libraries try but do not need. Landlock has no rights for a file's mode, owner and times, and before
  /// Linux 6.2 none for its length.
  private static let refused = [
    "accept", "accept4", "bind", "chmod", "chown", "connect", "fchmod", "fchmodat", "fchown",
    "fchownat",
    "fork", "kill", "lchown", "link", "linkat", "listen", "sched_setattr", "sched_setparam",
    "sched_setscheduler", "setpriority", "setrlimit", "socket", "socketpair",
    "symlink", "symlinkat", "tkill", "truncate", "utimensat", "vfork",
  ]

  /// Rules that depend on arguments.
  private static func addArguments(to filter: borrowing SystemCallFilter) throws(SandboxError) {
    // CLONE_THREAD: a thread, not a process. The arguments of `clone3` are in memory, where no filter can see them, so
    // it is missing here; libraries manage without it.
    try filter.add(.allow, ["clone"], where: [.has(0, 0x10000)])
    try filter.add(.refuse(EPERM), ["clone"], where: [.hasNone(0, 0x10000)])
    // The process may only read its own limits, because root could raise them.
    try filter.add(.allow, ["prlimit64"], where: [.equals(0, 0), .equals(2, 0)])
    try filter.add(.refuse(EPERM), ["prlimit64"], where: [.differs(2, 0)])
    // With a process id, other processes' threads could be restricted to one processor, so every id is refused, even
    // the process's own.
    try filter.add(.allow, ["sched_setaffinity"], where: [.equals(0, 0)])
    try filter.add(.refuse(EPERM), ["sched_setaffinity"], where: [.differs(0, 0)])
    try addOpening(to: filter)
    try addDescriptorCommands(to: filter)
    // Only without an address: to the peer that the socket is connected to.
    try filter.add(.allow, ["sendto"], where: [.equals(4, 0)])
    // For `abort` and `raise`.
    try filter.add(.allow, ["tgkill"], where: [.equals(0, UInt64(getpid()))])
    // PR_SET_NAME, PR_GET_NAME, and PR_SET_VMA, which names allocations.
    for option: UInt64 in [15, 16, 0x5356_4D41] {
      try filter.add(.allow, ["prctl"], where: [.equals(0, option)])
    }
  }

  /// `ioctl` with the given requests only.
  private static func addDeviceRequests(
    _ requests: [UInt64], to filter: borrowing SystemCallFilter
  ) throws(SandboxError) {
    guard !requests.isEmpty else { return try filter.add(.refuse(ENOTTY), ["ioctl"]) }
    for request in requests { try filter.add(.allow, ["ioctl"], where: [.equals(1, request)]) }
    // Libraries ask whether a file is a terminal, and expect this error. seccomp cannot match "all others", so those fail
    // like any call without a rule.
    try filter.add(
      .refuse(ENOTTY), ["ioctl"], where: [.among(1, 0xFF00, UInt64(UInt8(ascii: "T")) << 8)])
  }

  /// Opening files, except truncating a file that may only be read, which Landlock does not prevent before Linux 6.2.
  private static func addOpening(
    to filter: borrowing SystemCallFilter
  ) throws(SandboxError) {
    let cuts = UInt64(O_TRUNC)
    let bits = cuts | UInt64(O_ACCMODE)
    for (call, flags) in [("open", 1), ("openat", 2)] as [(String, UInt32)] {
      try filter.add(.allow, [call], where: [.hasNone(flags, cuts)])
      for access in [O_WRONLY, O_RDWR] {
        try filter.add(.allow, [call], where: [.among(flags, bits, cuts | UInt64(access))])
      }
      // The fourth access mode is neither reading nor writing.
      for access in [O_RDONLY, O_ACCMODE] {
        try filter.add(.refuse(EPERM), [call], where: [.among(flags, bits, cuts | UInt64(access))])
      }
    }
  }

  /// `fcntl` without the commands that make the kernel send a signal when a descriptor is ready or a file is opened.
  /// Before Linux 6.12, nothing else prevents signals to other processes of the same user.
  private static func addDescriptorCommands(
    to filter: borrowing SystemCallFilter
  ) throws(SandboxError) {
    let allowed =
      [F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL]
      + [F_GETLK, F_SETLK, F_SETLKW, openFileLock, openFileLock + 1, openFileLock + 2]
    for command in allowed {
      try filter.add(.allow, ["fcntl"], where: [.equals(1, UInt64(command))])
    }
    let setFlags = UInt64(F_SETFL)
    try filter.add(.allow, ["fcntl"], where: [.equals(1, setFlags), .hasNone(2, UInt64(O_ASYNC))])
    try filter.add(
      .refuse(EPERM), ["fcntl"], where: [.equals(1, setFlags), .has(2, UInt64(O_ASYNC))])
    for command in signaling {
      try filter.add(.refuse(EPERM), ["fcntl"], where: [.equals(1, command)])
    }
  }

  /// F_OFD_GETLK of <fcntl.h>, which Swift's Glibc lacks; F_OFD_SETLK and F_OFD_SETLKW follow it.
  private static let openFileLock: Int32 = 36

  /// The commands of <fcntl.h> that choose the signal or its receiver: F_SETOWN, F_GETOWN, F_SETSIG, F_GETSIG,
  /// F_SETOWN_EX, F_GETOWN_EX, F_SETLEASE and F_NOTIFY.
  private static let signaling: [UInt64] = [8, 9, 10, 11, 15, 16, 1024, 1026]
}
