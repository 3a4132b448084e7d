import Foundation
import Support
import Testing
import Threads

/// Asynchronous functions that run on the calling thread.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct CallingThreadTests {
  private struct Problem: Error {}

  /// The threads on which a function and a function that it calls run.
  private static func threads() async -> [pthread_t] {
    let own = pthread_self()
    await Task.yield()
    return [own, await inner(), pthread_self()]
  }

  private static func inner() async -> pthread_t {
    await Task.yield()
    return pthread_self()
  }

  @Test func `all of a function runs on the calling thread`() async throws {
    let (caller, used) = try await BlockingThread.run(named: "caller") {
      (pthread_self(), try CallingThread.run { await Self.threads() })
    }
    #expect(used.allSatisfy { pthread_equal($0, caller) != 0 })
  }

  @Test func `an error is thrown to the caller`() async {
    await #expect(throws: Problem.self) {
      try await BlockingThread.run(named: "caller") {
        try CallingThread.run { throw Problem() }
      }
    }
  }

  @Test func `a function that waits for another thread is resumed`() async throws {
    let value = try await BlockingThread.run(named: "caller") {
      try CallingThread.run { try await BlockingThread.run(named: "other") { 7 } }
    }
    #expect(value == 7)
  }
}
