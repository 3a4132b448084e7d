import Processes
import Synchronization

/// The render processes that wait for a segment, at most one per slot.
final class RenderProcesses: Sendable {
  /// The address space limit of a process, in bytes, unless its segment needs a higher one.
  private let memory: UInt
  private let executable: String
  private let idle = Mutex<[RenderProcess]>([])

  /// - Parameters:
  ///   - count: the number of processes to start in advance, because starting takes a moment.
  ///   - memory: the address space limit of each process, in bytes.
  init(count: Int, memory: UInt, executable: String = ConnectedChild.thisProgram) {
    self.memory = memory
    self.executable = executable
    // A process that does not start here is started again when it is needed, and that reports the reason.
    let started = (0..<count).compactMap { _ in
      try? RenderProcess(executable: executable, memory: memory)
    }
    idle.withLock { $0 = started }
  }

  /// Lends a process to a segment. A process whose segment failed is not used again.
  ///
  /// - Parameter peak: the memory that the segment is expected to need, in bytes.
  func withProcess<Value>(
    peakMemory peak: Int, _ body: (RenderProcess) throws -> Value
  ) throws -> Value {
    let limit = max(memory, Self.limit(forPeak: peak))
    var found = idle.withLock { $0.popLast() }
    while let waiting = found, !waiting.isFresh { found = idle.withLock { $0.popLast() } }
    // A process with another limit makes room for one with this segment's.
    if found?.memory != limit { found = nil }
    let process = try found ?? RenderProcess(executable: executable, memory: limit)
    let value = try body(process)
    idle.withLock { $0.append(process) }
    return value
  }

  /// The address space limit for a segment that is expected to need the memory: twice as much, because the expectation
  /// can be wrong and not all address space is memory, and 2 GiB for libraries, threads and files.
  static func limit(forPeak peak: Int) -> UInt {
    let (doubled, isTooLarge) = UInt(max(peak, 0)).multipliedReportingOverflow(by: 2)
    let (limit, overflow) = doubled.addingReportingOverflow(2 << 30)
    return isTooLarge || overflow ? .max : limit
  }
}
