import CoordinatorSupport
import FarmAPI
import Foundation
import Scheduling
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Which watchers receive which changes.
@Suite(.mayBlock) struct EventFeedTests {
  /// A client's stream, and its number in the feed.
  private struct Client {
    let id: UInt64
    let changes: AsyncStream<FarmEvent>

    /// The ids of the jobs and workers in the events that it received before its stream ended.
    func received() async throws -> [String] {
      struct Subject: Decodable { let id: String }
      var ids: [String] = []
      for await event in changes {
        ids.append(try JSONDecoder().decode(Subject.self, from: Data(event.data.utf8)).id)
      }
      return ids
    }
  }

  private var feed = EventFeed(epoch: "run")

  private mutating func watch(
    _ job: String? = nil, as caller: Caller = .local, opening: [EventSubject] = [],
    resumedAfter last: String? = nil, limit: Int = .max,
    while isInForce: @escaping @Sendable () -> Bool = { true }
  ) -> Client {
    let (changes, continuation) = AsyncStream.makeStream(
      of: FarmEvent.self, bufferingPolicy: .bufferingOldest(limit))
    let id = feed.add(
      Subscriber(
        job: job.map { JobID(rawValue: $0) }, caller: caller, isInForce: isInForce,
        opening: EventOpening(opening), resumedAfter: last, stream: continuation))
    return Client(id: id, changes: changes)
  }

  private mutating func send(_ status: JobStatus) throws {
    feed.note(.job(JobID(rawValue: status.id)))
    for change in feed.takeChanges() { try feed.send(status, number: change.number) }
  }

  private mutating func send(_ status: WorkerStatus) throws {
    feed.note(.worker(WorkerID(rawValue: status.id)))
    for change in feed.takeChanges() { try feed.send(status, number: change.number) }
  }

  private static func job(
    _ id: String, of submitter: String? = nil, _ state: JobState = .rendering
  ) -> JobStatus {
    JobStatus(
      id: id, name: "cut", submitter: submitter, state: state,
      createdAt: Date(timeIntervalSince1970: 0))
  }

  private static func worker(_ id: String) -> WorkerStatus {
    WorkerStatus(
      id: id, name: "host", slots: 1, leases: 0, state: .active, segmentsCompleted: 0,
      segmentsFailed: 0, secondsSinceSeen: 0)
  }

  private static let anna = Caller(role: .submitter, name: "anna", token: nil)

  @Test mutating func `a submitter receives the changes of its own jobs only`() async throws {
    let client = watch(as: Self.anna)
    try send(Self.job("a", of: "anna"))
    try send(Self.job("b", of: "ben"))
    try send(Self.worker("w"))
    feed.end()
    #expect(try await client.received() == ["a"])
  }

  @Test mutating func `a client that may see every job receives every change`() async throws {
    let client = watch()
    try send(Self.job("a", of: "anna"))
    try send(Self.job("b"))
    try send(Self.worker("w"))
    feed.end()
    #expect(try await client.received() == ["a", "b", "w"])
  }

  @Test mutating func `the stream of a job ends with the job's last change`() async throws {
    let client = watch("a")
    try send(Self.job("b"))
    try send(Self.job("a"))
    try send(Self.job("a", .completed))
    #expect(try await client.received() == ["a", "a"])
  }

  @Test mutating func `the end of a job ends its stream without a notification of all watchers`()
    async throws
  {
    let (client, everyone) = (watch("a"), watch())
    #expect(feed.isWatched(JobID(rawValue: "a")))
    #expect(!feed.isWatched(JobID(rawValue: "b")))
    try feed.send(end: Self.job("a", .completed))
    #expect(try await client.received() == ["a"])
    feed.end()
    #expect(try await everyone.received() == [])
  }

  @Test mutating func `a change is not sent to a stream that will begin with the state`()
    async throws
  {
    let job = EventSubject.job(JobID(rawValue: "a"))
    let client = watch(opening: [job])
    try send(Self.job("a"))
    #expect(feed.nextSubject(for: client.id) == job)
    #expect(try feed.openingEvent(Self.job("a"), for: client.id) != nil)
    #expect(feed.nextSubject(for: client.id) == nil)
    try send(Self.job("a"))
    feed.end()
    #expect(try await client.received() == ["a"])
  }

  @Test mutating func `the stream of a job that cannot begin with its state ends`() async throws {
    let client = watch("a", opening: [.job(JobID(rawValue: "a"))])
    #expect(feed.nextSubject(for: client.id) != nil)
    #expect(feed.nextSubject(for: client.id) == nil)
    #expect(try await client.received() == [])
  }

  @Test mutating func `streams of revoked tokens end before changes are sent`() async throws {
    let isInForce = Watched()
    let client = watch { isInForce.value.withLock { $0 } }
    try send(Self.job("a"))
    isInForce.value.withLock { $0 = false }
    try send(Self.job("b"))
    #expect(try await client.received() == ["a"])
  }

  private final class Watched: Sendable {
    let value = Mutex(true)
  }

  @Test mutating func `clients that missed a change of a job reconnect`() async throws {
    let client = watch("a")
    let other = watch("b")
    feed.endStreams(of: JobID(rawValue: "a"))
    try send(Self.job("b"))
    feed.end()
    #expect(try await client.received() == [])
    #expect(try await other.received() == ["b"])
  }

  @Test mutating func `repeated changes of a job are reported once`() {
    for _ in 0..<3 { feed.note(.job(JobID(rawValue: "a"))) }
    feed.note(.worker(WorkerID(rawValue: "w")))
    #expect(feed.hasChanges)
    #expect(
      feed.takeChanges().map(\.subject)
        == [.job(JobID(rawValue: "a")), .worker(WorkerID(rawValue: "w"))])
    #expect(!feed.hasChanges)
  }

  @Test mutating func `changes are collected for longer after a large notification`() {
    #expect(feed.interval == .milliseconds(150))
    let clients = (0..<100).map { _ in watch() }
    for number in 0..<1000 { feed.note(.worker(WorkerID(rawValue: "\(number)"))) }
    _ = feed.takeChanges()
    #expect(feed.interval == .seconds(1))
    withExtendedLifetime(clients) {}
  }

  @Test mutating func `a change has the number after the last one, and its clients resume there`()
    async throws
  {
    let (a, b) = (EventSubject.job(JobID(rawValue: "a")), EventSubject.job(JobID(rawValue: "b")))
    let client = watch()
    try send(Self.job("a"))
    try send(Self.job("b"))
    #expect(feed.resumption(after: "run-1")?.subjects == [b])
    #expect(feed.resumption(after: "run-1")?.id == "run-1")
    try send(Self.job("a"))
    #expect(feed.resumption(after: "run-1")?.subjects == [b, a])
    #expect(feed.resumption(after: "run-3")?.subjects == [])
    feed.end()
    var ids: [String] = []
    for await event in client.changes { ids.append(event.id) }
    #expect(ids == ["run-1", "run-2", "run-3"])
  }

  @Test(arguments: [nil, "", "run", "run-", "run-x", "run-0", "run-9", "earlier-1", "-1"])
  mutating func `an unknown id resumes nothing`(id: String?) throws {
    try send(Self.job("a"))
    #expect(feed.resumption(after: id) == nil)
  }

  @Test(arguments: [nil, "run-1"])
  mutating func `only the last event that a stream begins with has a new number`(
    last: String?
  ) throws {
    try send(Self.job("a"))
    try send(Self.job("b"))
    let opening = ["a", "b"].map { EventSubject.job(JobID(rawValue: $0)) }
    let client = watch(opening: opening, resumedAfter: last)
    _ = feed.nextSubject(for: client.id)
    #expect(try feed.openingEvent(Self.job("a"), for: client.id)?.id == last ?? "run-0")
    _ = feed.nextSubject(for: client.id)
    #expect(try feed.openingEvent(Self.job("b"), for: client.id)?.id == "run-2")
  }

  @Test mutating func `the stream of a client that is too slow ends instead of skipping a change`()
    async throws
  {
    let client = watch(limit: 2)
    for id in ["a", "b", "c", "d"] { try send(Self.job(id)) }
    #expect(try await client.received() == ["a", "b"])
    #expect(
      feed.resumption(after: "run-2")?.subjects
        == [.job(JobID(rawValue: "c")), .job(JobID(rawValue: "d"))])
  }

  @Test mutating func `a removal is sent to those who could see the job`() async throws {
    let (anna, all, one) = (watch(as: Self.anna), watch(), watch("a"))
    for (job, submitter) in [("b", "ben"), ("a", "anna")] {
      feed.note(.removed(JobID(rawValue: job), of: submitter))
      for change in feed.takeChanges() {
        try feed.send(removalOf: change.subject, number: change.number)
      }
    }
    // The stream of the job has ended.
    let end = await one.changes.reduce(into: [String]()) { $0.append($1.data) }
    #expect(end == ["{\"job\":\"a\"}"])
    feed.end()
    #expect(await anna.changes.reduce(into: [EventKind]()) { $0.append($1.kind) } == [.removed])
    let removals = await all.changes.reduce(into: [String]()) { $0.append($1.data) }
    #expect(removals == ["{\"job\":\"b\"}", "{\"job\":\"a\"}"])
  }
}
