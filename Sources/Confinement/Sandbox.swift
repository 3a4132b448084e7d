import CLinux
import Glibc
import Processes

/// The resources that a process that opens media keeps: its descriptors, some files, processor time and memory.
///
/// It cannot start a program or process, open a socket, send signals or change the system, and it can reach only the
/// given parts of the file system.
public struct Sandbox: Hashable, Sendable {
  /// The limits on memory, processor time and files, which the kernel enforces.
  public var limits: ResourceLimits
  /// The files and directories that it may read, in addition to ``systemFiles``. Missing ones are ignored.
  public var readable: [String]
  /// The files and directories that it may read and write. In directories, it may also create, rename and remove files.
  public var writable: [String]
  /// Whether an inherited socket keeps the size of its buffers and its time limit for receiving, although setting them
  /// seems to succeed. libsrt does not work with a socket for which it may not set them. By default, the call fails, as it
  /// does for all other options.
  public var keepsSocketOptions: Bool
  /// The requests of `ioctl` that it may make, for inherited descriptors of devices. None may be one of terminals (0x54xx),
  /// which always fail as if there were none. By default there are none.
  public var ioctls: [UInt64]

  /// Creates a sandbox.
  public init(
    limits: ResourceLimits, readable: [String] = [], writable: [String] = [],
    keepsSocketOptions: Bool = false, ioctls: [UInt64] = []
  ) {
    self.limits = limits
    self.readable = readable
    self.writable = writable
    self.keepsSocketOptions = keepsSocketOptions
    self.ioctls = ioctls
  }

  /// System files that libraries read at any time: other libraries, time zones, and facts about the machine.
  public static let systemFiles = [
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm",
    "/sys/devices/system", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
  ]

  /// The layers of the sandbox beyond the resource limits.
  public struct Walls: Hashable, Sendable {
    /// The kernel's version of Landlock, which denies the process all other files; `nil` if the kernel does not have
    /// Landlock.
    public var landlock: Int?
  }

  /// The kernel's version of Landlock; `nil` if the kernel does not have it. Call it before ``enter()``.
  public static var landlock: Int? {
    let version = sheaf_landlock_version()
    return version > 0 ? Int(version) : nil
  }

  /// Confines this process permanently. Call it on the process's first thread, before there are others.
  ///
  /// - Returns: the layers that confine it. Landlock is missing if the kernel does not have it.
  /// - Throws: ``SandboxError`` if it cannot be confined, in which case it must end.
  @discardableResult public func enter() throws(SandboxError) -> Walls {
    try Self.checkThreads()
    guard limits.apply() else {
      throw SandboxError(
        "the resource limits cannot be set", remedy: "allow the system call prlimit64",
        number: errno)
    }
    guard sheaf_gain_no_privileges() == 0 else {
      throw SandboxError(
        "no_new_privs cannot be set", remedy: "use Linux 3.5 or later", number: errno)
    }
    let landlock = try FileRules.enter(
      readable: Self.systemFiles + readable, writable: writable)
    try SystemCallFilter.forMedia(keepsSocketOptions: keepsSocketOptions, ioctls: ioctls).load()
    return Walls(landlock: landlock)
  }

  /// Landlock restricts only the calling thread and the threads that it starts afterwards.
  private static func checkThreads() throws(SandboxError) {
    guard let threads = opendir("/proc/self/task") else {
      throw SandboxError("it cannot list its threads", remedy: "mount /proc", number: errno)
    }
    defer { closedir(threads) }
    var count = 0
    while let entry = readdir(threads) {
      // A number, as opposed to "." and "..".
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    guard count == 1 else {
      throw SandboxError("it has \(count) threads", remedy: "confine it before it starts others")
    }
  }
}
