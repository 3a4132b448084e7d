import Foundation
import Testing

/// Runs the tests of a suite on threads that they may block.
///
/// Most tests wait for other processes. On the threads of Swift's concurrency, of which there are as many as processors,
/// two such tests would stop all others, and the coordinators and workers that run in this process.
public struct MayBlock: SuiteTrait, TestTrait, TestScoping {
  /// Whether each test of the suite has its own scope.
  public let isRecursive = true

  /// Runs one case of a test, or a suite.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // `scripts/run-tests` finds the test in which it was stopped by these lines.
    let name = "\(test.id)"
    report("↦ \(name)\n")
    defer { report("⇥ \(name)\n") }
    try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
  }

  /// Writes a line at once, and whole.
  private func report(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }
}

extension Trait where Self == MayBlock {
  /// Runs the tests of a suite on threads that they may block.
  public static var mayBlock: Self { Self() }
}

/// A few times as many threads as tests run at a time.
///
/// `@unchecked`: every access to `jobs` holds `condition`.
private final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = BlockingThreads(count: 32)

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  init(count: Int) {
    for _ in 0..<count {
      let thread = Thread { [self] in
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  private func next() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      return jobs.removeFirst()
    }
  }
}
