import FarmAPI
import Foundation
import HTTP
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
    let changes: AsyncStream<ServerSentEvent>

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

  private var feed = EventFeed()

  private mutating func watch(
    _ job: String? = nil, as caller: Caller = .local, opening: [EventSubject] = [],
    while isInForce: @escaping @Sendable () -> Bool = { true }
  ) -> Client {
    let (changes, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    let id = feed.add(
      Subscriber(
        job: job.map { JobID(rawValue: $0) }, caller: caller, isInForce: isInForce,
        opening: EventOpening(opening), stream: continuation))
    return Client(id: id, changes: changes)
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
    try feed.send(Self.job("a", of: "anna"))
    try feed.send(Self.job("b", of: "ben"))
    try feed.send(Self.worker("w"))
    feed.end()
    #expect(try await client.received() == ["a"])
  }

  @Test mutating func `a client that may see every job receives every change`() async throws {
    let client = watch()
    try feed.send(Self.job("a", of: "anna"))
    try feed.send(Self.job("b"))
    try feed.send(Self.worker("w"))
    feed.end()
    #expect(try await client.received() == ["a", "b", "w"])
  }

  @Test mutating func `the stream of a job ends with the job's last change`() async throws {
    let client = watch("a")
    try feed.send(Self.job("b"))
    try feed.send(Self.job("a"))
    try feed.send(Self.job("a", .completed))
    #expect(try await client.received() == ["a", "a"])
  }

  @Test mutating func `a change is not sent to a stream that will begin with the state`()
    async throws
  {
    let job = EventSubject.job(JobID(rawValue: "a"))
    let client = watch(opening: [job])
    try feed.send(Self.job("a"))
    #expect(feed.nextSubject(for: client.id) == job)
    #expect(try feed.openingEvent(Self.job("a"), for: client.id) != nil)
    #expect(feed.nextSubject(for: client.id) == nil)
    try feed.send(Self.job("a"))
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
    feed.note(.job(JobID(rawValue: "a")))
    #expect(feed.takeChanges().count == 1)
    try feed.send(Self.job("a"))
    isInForce.value.withLock { $0 = false }
    feed.note(.job(JobID(rawValue: "b")))
    #expect(feed.takeChanges().count == 1)
    try feed.send(Self.job("b"))
    #expect(try await client.received() == ["a"])
  }

  private final class Watched: Sendable {
    let value = Mutex(true)
  }

  @Test mutating func `clients that missed a change of a job reconnect`() async throws {
    let client = watch("a")
    let other = watch("b")
    feed.endStreams(of: JobID(rawValue: "a"))
    try feed.send(Self.job("b"))
    feed.end()
    #expect(try await client.received() == [])
    #expect(try await other.received() == ["b"])
  }

  @Test mutating func `repeated changes of a job are reported once`() {
    for _ in 0..<3 { feed.note(.job(JobID(rawValue: "a"))) }
    feed.note(.worker(WorkerID(rawValue: "w")))
    #expect(feed.hasChanges)
    #expect(
      feed.takeChanges() == [.job(JobID(rawValue: "a")), .worker(WorkerID(rawValue: "w"))])
    #expect(!feed.hasChanges)
  }

  @Test mutating func `changes are collected for longer after a large notification`() {
    #expect(feed.interval == .milliseconds(250))
    let clients = (0..<100).map { _ in watch() }
    for number in 0..<1000 { feed.note(.worker(WorkerID(rawValue: "\(number)"))) }
    _ = feed.takeChanges()
    #expect(feed.interval == .seconds(1))
    withExtendedLifetime(clients) {}
  }
}
