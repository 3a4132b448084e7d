import Processes
import Synchronization

/// The render processes that wait for a segment: as many as there are slots, once each has rendered.
final class RenderProcesses: Sendable {
  private let memory: UInt
  private let executable: String
  private let idle = Mutex<[RenderProcess]>([])

  /// - Parameters:
  ///   - count: how many to start at once, as starting takes a moment.
  ///   - memory: bytes of address space that each may have.
  init(count: Int, memory: UInt, executable: String = "/proc/self/exe") {
    self.memory = memory
    self.executable = executable
    // One that does not start is tried again when it is needed, and says why.
    let started = (0..<count).compactMap { _ in
      try? RenderProcess(executable: executable, memory: memory)
    }
    idle.withLock { $0 = started }
  }

  /// Lends a process to a segment. After one that failed comes a new one.
  func withProcess<Value>(_ body: (RenderProcess) throws -> Value) throws -> Value {
    var found = idle.withLock { $0.popLast() }
    while let waiting = found, !waiting.isFresh { found = idle.withLock { $0.popLast() } }
    let process = try found ?? RenderProcess(executable: executable, memory: memory)
    let value = try body(process)
    idle.withLock { $0.append(process) }
    return value
  }
}
