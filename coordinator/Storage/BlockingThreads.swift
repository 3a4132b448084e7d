import Foundation
import Threads

/// A few dedicated threads for work that blocks on the disk, which must never run on the cooperative pool.
///
/// `@unchecked`: every access to its state holds `condition`.
final class BlockingThreads: @unchecked Sendable {
  private let condition = NSCondition()
  private var work: [@Sendable () -> Void] = []

  /// Starts `count` threads, which stay for the life of the program.
  init(count: Int) {
    for number in 0..<count {
      Thread.detachNewThread { [self] in
        Thread.current.name = "disk-\(number)"
        serve()
      }
    }
  }

  private func serve() {
    while true {
      let next = condition.withLock {
        while work.isEmpty { condition.wait() }
        return work.removeFirst()
      }
      next()
    }
  }

  /// Runs `body` on one of the threads.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let handover = Handover<Value>()
    await withCheckedContinuation { continuation in
      condition.withLock {
        work.append {
          handover.fill(body)
          continuation.resume()
        }
        condition.signal()
      }
    }
    return try handover.take()
  }
}
