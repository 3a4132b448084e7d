import Foundation
import Threads

/// Starts processes on a thread that lasts as long as this process, because the kernel kills a child that ends with its
/// parent when the thread that started it ends.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
public final class ProcessStarter: @unchecked Sendable {
  /// The only instance.
  public static let shared = ProcessStarter()

  private let condition = NSCondition()
  private var waiting: [() -> Void] = []

  private init() {
    BlockingThread.start(named: "starter") { [self] in
      while true { next()() }
    }
  }

  private func next() -> () -> Void {
    condition.withLock {
      while waiting.isEmpty { condition.wait() }
      return waiting.removeFirst()
    }
  }

  /// Starts a process. Blocks until it has its turn.
  public func start(_ spawn: Spawn) throws(ProcessError) -> ChildProcess {
    let isDone = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<ChildProcess, ProcessError>?
    condition.withLock {
      waiting.append {
        result = Result { () throws(ProcessError) in try spawn.start() }
        isDone.signal()
      }
      condition.signal()
    }
    isDone.wait()
    guard let result else { throw ProcessError("cannot start \(spawn.subject)", ECHILD) }
    return try result.get()
  }
}
