import CLinux
import Confinement
import Foundation
import Processes

/// Enters a sandbox and makes the attempt that its argument names. Exits with 0 if it succeeds, otherwise with the
/// error number.
@main struct Program {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "dump" { exit(preventsDumps() ? 0 : 1) }
    if arguments.first == "ending" { exit(endingOfChild()) }
    if arguments.first == "children" {
      Children.run()
      exit(0)
    }
    if arguments.first == "server" { ForkServer.serve(Children.child) }
    if arguments.first == "child" { exit(Children.child(CommandLine.arguments)) }
    var sandbox = Sandbox(
      limits: ResourceLimits(memory: 8 << 30, fileSize: 1 << 20, processorTime: 2, openFiles: 64),
      readable: [arguments.dropFirst().first].compactMap(\.self),
      writable: [arguments.dropFirst(2).first].compactMap(\.self))
    let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    sandbox.keepsSocketOptions = arguments.first?.hasPrefix("kept") == true
    if arguments.first?.hasPrefix("device") == true { sandbox.ioctls = DeviceRequest.ioctls }
    do {
      try sandbox.enter()
    } catch {
      print(error)
      exit(200)
    }
    if let option = SocketOption(arguments.first ?? "") { exit(option.attempt(on: datagrams)) }
    if let request = DeviceRequest(arguments.first ?? "") { exit(request.attempt()) }
    exit(attempt(arguments.first ?? "", Array(arguments.dropFirst(3))) ? 0 : min(errno, 199))
  }

  private static func attempt(_ name: String, _ rest: [String]) -> Bool {
    let path = rest.first ?? ""
    switch name {
    case "nothing": return true
    case "exec":
      let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
      return execv("/usr/bin/true", arguments) == 0
    case "fork": return spawns()
    case "thread":
      Thread.detachNewThread {}
      return true
    case "socket": return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0
    case "kill": return kill(getppid(), 0) == 0
    case "root": return chroot("/") == 0
    case "limit":
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    case "read": return open(path, O_RDONLY) >= 0
    case "write": return open(path, O_WRONLY | O_CREAT, 0o600) >= 0
    case "rewrite": return open(path, O_WRONLY | O_TRUNC) >= 0
    case "mode": return fchmod(open(path, O_RDONLY), 0) == 0
    case "times": return futimens(open(path, O_RDONLY), nil) == 0
    case "length": return truncate(path, 0) == 0
    case "content": return open(path, O_RDONLY | O_TRUNC) >= 0
    case "memory":
      return mmap(nil, 16 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
    case "spin": while true { _ = getppid() }
    case "spin on":
      signal(SIGXCPU, SIG_IGN)
      while true { _ = getppid() }
    case "fill":
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      let bytes = [UInt8](repeating: 0, count: 1 << 20)
      while file >= 0 { _ = write(file, bytes, bytes.count) }
      return false
    case "abort": abort()
    default: return Outreach.attempt(name)
    }
  }

  /// Whether a process that prevents core dumps leaves none.
  private static func preventsDumps() -> Bool {
    CoreDumps.prevent()
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    return limit.rlim_cur == 0 && limit.rlim_max == 0 && sheaf_leaves_dump() == 0
  }

  /// The exit code of a child that ends with 7, learned by a process that was started with SIGCHLD ignored.
  private static func endingOfChild() -> Int32 {
    signal(SIGCHLD, SIG_IGN)
    let child = try? Spawn(
      "/bin/sh", ["sh", "-c", "exit 7"], descriptors: [.null, .null, .null], subject: "a shell"
    ).start()
    if case .exited(let code) = child?.wait() { return code }
    return 201
  }

  /// Whether a program can be started.
  private static func spawns() -> Bool {
    var pid = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    errno = posix_spawn(&pid, "/usr/bin/true", nil, nil, arguments, nil)
    return errno == 0
  }
}
