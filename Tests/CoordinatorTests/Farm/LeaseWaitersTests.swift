import CoordinatorSupport
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// How waits for a lease end.
@Suite(.mayBlock) struct LeaseWaitersTests {
  private var waiters = LeaseWaiters()

  @Test mutating func `an answer ends the wait of its request, and only the first one counts`()
    async
  {
    let request = waiters.newRequest()
    let answer = await withCheckedContinuation { continuation in
      waiters.add(request, continuation)
      #expect(waiters.contains(request))
      let isFirst = waiters.answer(request, .unavailable)
      #expect(isFirst)
    }
    guard case .unavailable = answer else {
      Issue.record("the answer is \(answer)")
      return
    }
    #expect(!waiters.contains(request))
    let isSecond = waiters.answer(request, .nothing)
    #expect(!isSecond)
  }

  @Test mutating func `each request has a distinct number`() {
    let first = waiters.newRequest()
    let second = waiters.newRequest()
    #expect(first != second)
  }

  @Test mutating func `only requests of revoked tokens are found`() async {
    let (revoked, other) = (waiters.newRequest(), waiters.newRequest())
    _ = await withCheckedContinuation { outer in
      waiters.add(other, outer)
      #expect(waiters.revoked == [])
      waiters.answer(other, .nothing)
    }
    _ = await withCheckedContinuation { continuation in
      waiters.add(revoked, continuation) { false }
      #expect(waiters.revoked == [revoked])
      waiters.answer(revoked, .nothing)
    }
  }

  @Test mutating func `every wait ends when the farm stops`() async {
    let request = waiters.newRequest()
    let answer = await withCheckedContinuation { continuation in
      waiters.add(request, continuation)
      waiters.end()
    }
    guard case .nothing = answer else {
      Issue.record("the answer is \(answer)")
      return
    }
  }
}
