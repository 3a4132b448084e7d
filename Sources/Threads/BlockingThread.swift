import Foundation
import Glibc
import Synchronization

/// Runs blocking work on a dedicated thread, off the cooperative pool.
public enum BlockingThread {
  /// Runs `work` and returns its value or throws its error, regardless of how long it takes.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func run<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let handover = Handover<Value>()
    await withCheckedContinuation { continuation in
      start(named: name) {
        handover.fill(work)
        continuation.resume()
      }
    }
    return try handover.take()
  }

  /// Runs `work` and returns its value or throws its error. `work` can ask whether the task is cancelled, and should
  /// then end soon.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func run<Value: Sendable>(
    named name: String,
    _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await run(named: name) { try work { flag.isSet } }
    } onCancel: {
      flag.set()
    }
  }

  private final class CancellationFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
  }

  /// Runs `work` and returns its value or throws its error; throws `CancellationError` as soon as the task is
  /// cancelled.
  ///
  /// After a cancellation the thread is left to end by itself, because it may be waiting for a disk or the network.
  public static func runUntilCancelled<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = Answer<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard answer.wait(continuation) else { return }
        start(named: name) { answer.give(Result { try work() }) }
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  /// Starts a thread that runs `body`.
  ///
  /// If the system permits no more threads (a limit on processes, such as `pids.max` or `TasksMax`), the thread starts
  /// as soon as it permits one. This is tried every tenth of a second, and reported on standard error once.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
    let entry = ThreadEntry(name: name, body: body)
    guard let number = entry.start() else { return }
    Self.report(number)
    Task.detached {
      repeat { try? await Task.sleep(for: .milliseconds(100)) } while entry.start() != nil
    }
  }

  /// Starts a thread that runs `body`, at once. Returns whether the system permitted it; if not, `errno` says why.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func startNow(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let number = ThreadEntry(name: name, body: body).start() else { return true }
    errno = number
    return false
  }

  private static let isReported = Atomic(false)

  private static func report(_ number: Int32) {
    guard !isReported.exchange(true, ordering: .relaxed) else { return }
    let text = """
      cannot start a thread: \(String(cString: strerror(number))); trying again until it starts. \
      Raise the limit on processes (pids.max, TasksMax, ulimit -u)

      """
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// The first outcome that arrives, for the waiting task.
  private final class Answer<Value: Sendable>: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Value, any Error>)
      case given(Result<Value, any Error>)
      case done
    }

    private let state = Mutex(State.idle)

    /// Whether the work is still to be done; otherwise the continuation has received its outcome.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
      let given = state.withLock { state -> Result<Value, any Error>? in
        guard case .given(let result) = state else {
          state = .waiting(continuation)
          return nil
        }
        state = .done
        return result
      }
      if let given { continuation.resume(with: given) }
      return given == nil
    }

    func give(_ result: Result<Value, any Error>) {
      let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
        switch state {
        case .idle: state = .given(result)
        case .waiting(let continuation):
          state = .done
          return continuation
        case .given, .done: break
        }
        return nil
      }
      waiting?.resume(with: result)
    }
  }
}

/// The work of a thread, and its start with the C library: `Thread` does not report if the system refuses to start it.
private final class ThreadEntry: Sendable {
  /// The stack size in bytes. libav and deeply nested JSON need more than half a megabyte, which some systems' threads
  /// have.
  private static let stackSize = 8 << 20

  private let name: String
  private let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  /// Starts the thread. Returns the system's error number if there cannot be another thread.
  func start() -> Int32? {
    let entry = Unmanaged.passRetained(self)
    let number = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
      guard let attributes = buffer.baseAddress else { return EAGAIN }
      pthread_attr_init(attributes)
      defer { pthread_attr_destroy(attributes) }
      pthread_attr_setstacksize(attributes, Self.stackSize)
      pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      return pthread_create(
        &thread, attributes,
        { entry in
          guard let entry else { return nil }
          Unmanaged<ThreadEntry>.fromOpaque(entry).takeRetainedValue().run()
          return nil
        }, entry.toOpaque())
    }
    guard number != 0 else { return nil }
    entry.release()
    return number
  }

  private func run() {
    // The system accepts 15 bytes, and ignores a name that is set before the thread runs.
    Thread.current.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
    body()
  }
}
