import Foundation

/// Runs asynchronous functions on the calling thread.
public enum CallingThread {
  /// Runs `body` and returns its value or throws its error. Blocks the calling thread, on which all of `body` runs that
  /// has no executor of its own.
  ///
  /// A process with a single thread that is confined, or limited in memory, stays as it is: no other thread is started.
  public static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let executor = CallingThreadExecutor()
    let outcome = Handover<Value>()
    Task(executorPreference: executor) {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.fill { try result.get() }
      executor.finish()
    }
    executor.runUntilFinished()
    return try outcome.take()
  }
}

/// The jobs of a task that runs on one thread.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
private final class CallingThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isFinished = false

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  func finish() {
    condition.withLock {
      isFinished = true
      condition.signal()
    }
  }

  func runUntilFinished() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// The next job; `nil` if there is none any more.
  private func next() -> UnownedJob? {
    condition.withLock {
      while jobs.isEmpty, !isFinished { condition.wait() }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}
