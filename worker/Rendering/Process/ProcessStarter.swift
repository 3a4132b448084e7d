import Foundation
import Processes

/// Starts processes on a thread that lasts as long as the worker, because the kernel kills a process when the thread
/// that started it ends.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
final class ProcessStarter: @unchecked Sendable {
  /// The only instance.
  static let shared = ProcessStarter()

  private let condition = NSCondition()
  private var waiting: [() -> Void] = []

  private init() {
    let thread = Thread { [self] in
      // The system ignores a name that is set before the thread runs.
      Thread.current.name = "starter"
      while true { next()() }
    }
    thread.start()
  }

  private func next() -> () -> Void {
    condition.withLock {
      while waiting.isEmpty { condition.wait() }
      return waiting.removeFirst()
    }
  }

  /// Starts a process whose standard input and output are a socket. Blocks until it has its turn.
  func start(
    _ executable: String, _ arguments: [String], socket: Int32, errors: Int32
  ) throws(ProcessError) -> pid_t {
    let isDone = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<pid_t, ProcessError>?
    condition.withLock {
      waiting.append {
        result = Result { () throws(ProcessError) in
          try Spawn.start(executable, arguments, input: socket, output: socket, errors: errors)
        }
        isDone.signal()
      }
      condition.signal()
    }
    isDone.wait()
    guard let result else { throw ProcessError("cannot start a process", ECHILD) }
    return try result.get()
  }
}
