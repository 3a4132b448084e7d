import CoordinatorSupport
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// The order in which jobs get room for their segments.
@Suite(.mayBlock) struct SegmentRoomTests {
  private var room = SegmentRoom(limit: 100)

  @Test mutating func `jobs that fit are admitted in order`() {
    for (job, count) in [("a", 40), ("b", 50), ("c", 10)] {
      room.enqueue(JobID(rawValue: job), of: job, count)
    }
    #expect(admitted() == ["a", "b", "c"])
    #expect(room.count == 100)
  }

  @Test mutating func `a submitter's further jobs leave half of the room for others`() {
    for job in ["a", "b", "c", "d"] { room.enqueue(JobID(rawValue: job), of: "anna", 20) }
    room.enqueue(JobID(rawValue: "e"), of: "ben", 60)
    #expect(admitted() == ["a", "e"])
    room.remove(JobID(rawValue: "e"))
    #expect(admitted() == ["b"])
    room.remove(JobID(rawValue: "a"))
    #expect(admitted() == ["c"])
  }

  @Test mutating func `a large waiting job is not overtaken by small ones`() {
    room.enqueue(JobID(rawValue: "a"), of: "anna", 60)
    room.enqueue(JobID(rawValue: "b"), of: "ben", 50)
    room.enqueue(JobID(rawValue: "c"), of: "carl", 10)
    #expect(admitted() == ["a"])
    room.remove(JobID(rawValue: "a"))
    #expect(admitted() == ["b", "c"])
  }

  @Test mutating func `the submitter with the fewest segments comes next`() {
    room.enqueue(JobID(rawValue: "a"), of: "anna", 30)
    room.enqueue(JobID(rawValue: "b"), of: "ben", 70)
    #expect(admitted() == ["a", "b"])
    room.enqueue(JobID(rawValue: "c"), of: "anna", 5)
    room.enqueue(JobID(rawValue: "d"), of: "carl", 30)
    room.remove(JobID(rawValue: "b"))
    #expect(admitted() == ["d", "c"])
  }

  @Test mutating func `a job that is larger than a lowered limit is rendered alone`() {
    room.enqueue(JobID(rawValue: "a"), of: "anna", 10)
    #expect(admitted() == ["a"])
    room.enqueue(JobID(rawValue: "b"), of: "ben", 500)
    #expect(admitted() == [])
    room.remove(JobID(rawValue: "a"))
    #expect(admitted() == ["b"])
    room.enqueue(JobID(rawValue: "c"), of: "carl", 1)
    #expect(admitted() == [])
  }

  @Test mutating func `a job that stops waiting is not admitted`() {
    room.readmit(JobID(rawValue: "a"), of: nil, 100)
    room.enqueue(JobID(rawValue: "b"), of: "ben", 50)
    room.stopWaiting(JobID(rawValue: "b"))
    room.remove(JobID(rawValue: "a"))
    #expect(admitted() == [])
    #expect(!room.contains(JobID(rawValue: "b")))
  }

  private mutating func admitted() -> [String] {
    var jobs: [String] = []
    while let job = room.admitNext() { jobs.append(job.rawValue) }
    return jobs
  }
}
