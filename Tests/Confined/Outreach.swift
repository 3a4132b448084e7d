import Foundation

/// Attempts to affect the process that started this one, and calls that affect only this process.
enum Outreach {
  static func attempt(_ name: String) -> Bool {
    let parent = Int(getppid())
    switch name {
    case "own lock": return call("fcntl", 1, Int(F_GETLK), address(of: [flock()])) == 0
    case "own flags": return fcntl(pipe(), F_SETFL, O_NONBLOCK) == 0
    case "own copy": return fcntl(1, F_DUPFD_CLOEXEC, 3) >= 3
    case "own processor": return setProcessor(of: 0)
    case "owner": return fcntl(pipe(), F_SETOWN, getppid()) == 0
    case "owner in a struct":
      // struct f_owner_ex of <fcntl.h>: F_OWNER_PID, and a process.
      return call("fcntl", Int(pipe()), 15, address(of: [1, getppid()])) == 0
    case "signal": return fcntl(pipe(), 10, SIGKILL) == 0
    case "readiness": return fcntl(pipe(), F_SETFL, O_ASYNC | O_NONBLOCK) == 0
    case "owner by ioctl": return call("ioctl", Int(pipe()), 0x8901, address(of: [getppid()])) == 0
    case "readiness by ioctl":
      return call("ioctl", Int(pipe()), 0x5452, address(of: [Int32(1)])) == 0
    case "processor": return setProcessor(of: parent)
    case "priority":
      return setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(parent), 19) == 0
    case "queue": return call("sigqueue", parent, 0, 0) == 0
    case "foreign thread": return call("tgkill", parent, parent, 0) == 0
    case "limits":
      return call("prlimit", parent, Int(RLIMIT_CORE.rawValue), address(of: [0, 0])) == 0
    case "robust list":
      return system(274, parent, address(of: [0]), address(of: [0])) == 0
    case "end of parent": return call("prctl", 1, 0) == 0
    case "timer": return call("timer_create", Int(CLOCK_MONOTONIC), 0, address(of: [0])) == 0
    case "ring": return system(425, 1, address(of: [Int](repeating: 0, count: 15))) >= 0
    case "memory of parent": return call("process_vm_readv", parent, 0, 0, 0, 0, 0) >= 0
    case "trace": return call("ptrace", 0x4206, parent) == 0
    case "handle": return system(434, parent, 0) >= 0
    default: return false
    }
  }

  /// The writing end of a new pipe.
  private static func pipe() -> Int32 {
    var ends: [Int32] = [-1, -1]
    return Glibc.pipe(&ends) == 0 ? ends[1] : -1
  }

  private static func setProcessor(of process: Int) -> Bool {
    let processors = [UInt64](repeating: .max, count: 16)
    return call("sched_setaffinity", process, 128, address(of: processors)) == 0
  }

  /// The address of a copy of `values` that is never freed.
  private static func address<Value>(of values: [Value]) -> Int {
    let copy = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    return Int(bitPattern: copy.baseAddress)
  }

  /// Makes a system call by its number on x86-64, for calls without a library function.
  private static func system(_ number: Int, _ arguments: Int...) -> Int {
    function("syscall", [number] + arguments)
  }

  /// Calls a library function that Swift's Glibc lacks.
  private static func call(_ name: String, _ arguments: Int...) -> Int {
    // The upper half of a register is undefined if it returns an `int`.
    Int(Int32(truncatingIfNeeded: function(name, arguments)))
  }

  private static func function(_ name: String, _ given: [Int]) -> Int {
    typealias Function =
      @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    guard let symbol = dlsym(nil, name) else { exit(201) }
    let all = given + Array(repeating: 0, count: 7 - given.count)
    return unsafeBitCast(symbol, to: Function.self)(
      all[0], all[1], all[2], all[3], all[4], all[5], all[6])
  }
}
