import Processes
import Synchronization

/// The render processes that wait for a segment, at most one per slot.
final class RenderProcesses: Sendable {
  private let memory: UInt
  private let executable: String
  private let idle = Mutex<[RenderProcess]>([])

  /// - Parameters:
  ///   - count: the number of processes to start in advance, because starting takes a moment.
  ///   - memory: the address space limit of each process, in bytes.
  init(count: Int, memory: UInt, executable: String = "/proc/self/exe") {
    self.memory = memory
    self.executable = executable
    // A process that does not start here is started again when it is needed, and that reports the reason.
    let started = (0..<count).compactMap { _ in
      try? RenderProcess(executable: executable, memory: memory)
    }
    idle.withLock { $0 = started }
  }

  /// Lends a process to a segment. A process whose segment failed is not used again.
  func withProcess<Value>(_ body: (RenderProcess) throws -> Value) throws -> Value {
    var found = idle.withLock { $0.popLast() }
    while let waiting = found, !waiting.isFresh { found = idle.withLock { $0.popLast() } }
    let process = try found ?? RenderProcess(executable: executable, memory: memory)
    let value = try body(process)
    idle.withLock { $0.append(process) }
    return value
  }
}
