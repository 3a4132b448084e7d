import Foundation
import Support
import Testing
import Threads

@Suite(.mayBlock) struct BlockingThreadTests {
  private struct Refusal: Error {}

  @Test func `work runs on its own thread, under the given name`() async throws {
    let name = try await BlockingThread.run(named: "reader") { Thread.current.name }
    #expect(name == "reader")
  }

  @Test func `an error of the work reaches the caller`() async {
    await #expect(throws: Refusal.self) {
      try await BlockingThread.run(named: "reader") { throw Refusal() }
    }
    await #expect(throws: Refusal.self) {
      try await BlockingThread.runUntilCancelled(named: "reader") { throw Refusal() }
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a cancelled caller need not wait for work that hangs`() async {
    let hung = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let task = Task {
      try await BlockingThread.runUntilCancelled(named: "disk") {
        begun.signal()
        hung.wait()
      }
    }
    await Self.wait(for: begun)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    hung.signal()
  }

  @Test func `work that must be finished continues if its caller is cancelled`() async throws {
    let begun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let task = Task {
      try await BlockingThread.run(named: "disk") {
        begun.signal()
        mayEnd.wait()
        return 7
      }
    }
    await Self.wait(for: begun)
    task.cancel()
    mayEnd.signal()
    #expect(try await task.value == 7)
  }

  @Test func `a task that is already cancelled starts nothing`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await BlockingThread.runUntilCancelled(named: "disk") {
        Issue.record("the work was begun")
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private static func wait(for semaphore: DispatchSemaphore) async {
    _ = try? await BlockingThread.run(named: "waiter") { semaphore.wait() }
  }
}
