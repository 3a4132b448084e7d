import Foundation
import Threads

/// A few dedicated threads for work that blocks on the disk, which must never run on the cooperative pool. They end when
/// this object is released.
final class BlockingThreads: Sendable {
  private let queue = WorkQueue()

  /// Starts `count` threads.
  init(count: Int) {
    for number in 0..<count {
      BlockingThread.start(named: "disk-\(number)") { [queue] in
        while let work = queue.next() { work() }
      }
    }
  }

  deinit { queue.close() }

  /// - Parameter isApart: whether to run it on a thread of its own, because it may take long.
  func run<Value: Sendable>(
    apart isApart: Bool, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    isApart ? try await BlockingThread.run(named: "apart", body) : try await run(body)
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let handover = Handover<Value>()
    await withCheckedContinuation { continuation in
      queue.append {
        handover.fill(body)
        continuation.resume()
      }
    }
    return try handover.take()
  }
}

/// The work that waits for a thread.
///
/// `@unchecked`: every access to its state holds `condition`.
private final class WorkQueue: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  private let condition = NSCondition()
  private var works: [Work] = []
  private var isClosed = false

  func append(_ work: @escaping Work) {
    condition.withLock {
      works.append(work)
      condition.signal()
    }
  }

  /// Lets the threads end after the work that waits.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Waits for work; `nil` if there will be none.
  func next() -> Work? {
    condition.withLock {
      while works.isEmpty, !isClosed { condition.wait() }
      return works.isEmpty ? nil : works.removeFirst()
    }
  }
}
