import Support
import Synchronization
import Testing
import Threads

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct BoundedQueueTests {
  private let queue = BoundedQueue<Int>(capacity: 2)

  @Test func `elements arrive in order, and never wait in greater number than there is room for`()
    throws
  {
    let count = Count()
    let numbers = 0..<1000
    BlockingThread.start(named: "producer") { [queue] in
      for number in numbers {
        guard queue.put(number) else { return }
        count.value.store(number + 1, ordering: .sequentiallyConsistent)
      }
    }
    for number in numbers {
      #expect(queue.take() == number)
      // Two wait, this one was taken, and a third may have taken its place meanwhile.
      #expect(count.value.load(ordering: .sequentiallyConsistent) <= number + 3)
    }
  }

  private final class Count: Sendable {
    let value = Atomic(0)
  }

  @Test func `closing the queue releases a producer that waits for room`() async throws {
    #expect(queue.put(1))
    #expect(queue.put(2))
    async let isTaken = BlockingThread.run(named: "producer") { [queue] in queue.put(3) }
    queue.close()
    #expect(try await isTaken == false)
    #expect(queue.take() == nil)
  }

  @Test func `closing the queue releases a consumer that waits for an element`() async throws {
    async let taken = BlockingThread.run(named: "consumer") { [queue] in queue.take() }
    queue.close()
    #expect(try await taken == nil)
    #expect(!queue.put(1))
  }
}
