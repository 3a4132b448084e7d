import Confinement
import Foundation
import Processes

/// Work in consecutive copies of this process.
enum Forks {
  nonisolated(unsafe) private static var count = 0

  /// Does the named work in copies, and returns whether copies could be made.
  static func run(_ names: [String]) -> Bool {
    // A descriptor that only this process may read.
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, write(ends[1], "secret", 6) == 6, dup2(ends[0], 0) == 0 else {
      return false
    }
    for name in names {
      do { try ForkedWork.run { attempt(name) } } catch { return false }
    }
    return true
  }

  private static func attempt(_ name: String) -> Int32 {
    count += 1
    switch name {
    case "count": say("\(count)")
    case "lines": say("one\ntwo\n")
    case "input":
      var bytes = [UInt8](repeating: 0, count: 6)
      say(read(0, &bytes, bytes.count) > 0 ? "read" : "nothing")
    case "failure":
      say("failed")
      return 1
    case "exit": return 3
    case "abort": abort()
    case "spin on":
      confine()
      signal(SIGXCPU, SIG_IGN)
      while true { _ = getppid() }
    case "compute":
      confine()
      while clock() < clock_t(1.3 * Double(CLOCKS_PER_SEC)) { _ = getppid() }
      say("computed")
    default: return 201
    }
    return 0
  }

  private static func confine() {
    let limits = ResourceLimits(memory: 8 << 30, fileSize: 1 << 20, processorTime: 2)
    do { try Sandbox(limits: limits).enter() } catch { _exit(200) }
  }

  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
