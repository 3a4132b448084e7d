import Support
import Testing
import Threads

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ItemThreadTests {
  private struct Failure: Error, Equatable {
    let item: Int
  }

  @Test func `the work receives all items in order, and its value is the result`() throws {
    let thread = try #require(
      ItemThread<Int, [Int]>(named: "items", room: 2) { next in
        var items: [Int] = []
        while let item = try next() { items.append(item) }
        return items
      })
    for item in 0..<1000 { try thread.add(item) }
    #expect(try thread.finish() == Array(0..<1000))
  }

  @Test func `an error of the work is thrown when items are added and when they end`() throws {
    let thread = try #require(
      ItemThread<Int, Void>(named: "items", room: 2) { next in
        while let item = try next(), item < 5 {}
        throw Failure(item: 5)
      })
    // Items that wait when the work ends are lost, so the error comes soon, but not at once.
    #expect(throws: Failure(item: 5)) {
      for item in 0..<1000 { try thread.add(item) }
    }
    #expect(throws: Failure(item: 5)) { try thread.finish() }
    #expect(thread.stop() as? Failure == Failure(item: 5))
  }

  @Test func `a thread that is stopped ends without the last item, and has no error of its own`()
    throws
  {
    let ended = BoundedQueue<Bool>(capacity: 1)
    let thread = try #require(
      ItemThread<Int, Void>(named: "items", room: 2) { next in
        do {
          while try next() != nil {}
        } catch {
          _ = ended.put(true)
          throw error
        }
        _ = ended.put(false)
      })
    try thread.add(1)
    #expect(thread.stop() == nil)
    #expect(ended.take() == true)
    #expect(throws: (any Error).self) { try thread.finish() }
  }

  @Test func `the work has ended once its thread is freed`() throws {
    let ended = BoundedQueue<Int>(capacity: 2)
    var thread = ItemThread<Int, Void>(named: "items", room: 2) { next in
      defer { _ = ended.put(1) }
      while try next() != nil {}
    }
    try #require(thread != nil)
    thread = nil
    _ = ended.put(2)
    #expect(ended.take() == 1)
  }

  private final class Resource: Sendable {}

  @Test func `what the work holds is freed before its result is known`() throws {
    var resource: Resource? = Resource()
    weak let observed = resource
    let thread = ItemThread<Int, Bool>(named: "items", room: 2) { [resource] next in
      while try next() != nil {}
      return resource != nil
    }
    resource = nil
    #expect(observed != nil)
    #expect(try thread?.finish() == true)
    #expect(observed == nil)
  }
}
