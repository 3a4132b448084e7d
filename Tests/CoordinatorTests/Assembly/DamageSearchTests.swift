import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The coordinator decodes what waiting segments show, ahead of the workers.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct DamageSearchTests {
  /// A log that also sends its lines of suspected segments to a stream.
  private static func log() -> (log: Log, suspicions: AsyncStream<String>) {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let log = Log(.normal) { if $0.contains("is rendered next") { line.yield($0) } }
    return (log, lines)
  }

  @Test func `a segment that shows damage is rendered next, and the worker's verdict counts`()
    async throws
  {
    let media = FakeMedia(decoding: {
      DamagedSegment(index: $0.segments.count - 1, message: "the frame at 1.000 s is damaged")
    })
    let (log, suspicions) = Self.log()
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero, log: log)
    let job = try await farm.submit()
    for await line in suspicions {
      #expect(line.contains("segment 8 is rendered next: the frame at 1.000 s is damaged"))
      break
    }
    // Otherwise, the longest segment would be the first.
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    #expect(lease.segment == 8)
    #expect(try await farm.deliver(lease).status == .ok)
    #expect(try await farm.finish(job, by: worker).state == .completed)
  }

  @Test func `only segments that no worker has are decoded`() async throws {
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let (searches, searched) = AsyncStream.makeStream(of: Set<Int>.self)
    let media = FakeMedia(decoding: { request in
      let segments = try request.segments.map { try $0.decode(LeasedContent.self).description }
      searched.yield(Set(segments.flatMap { $0.first..<$0.end }))
      for await _ in released { break }
      return nil
    })
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    var search = searches.makeAsyncIterator()
    // The search in the first job takes the only place until it is released.
    _ = try await farm.submit(name: "first")
    let total = try #require(await search.next())
    let worker = try await farm.register()
    let job = try await farm.submit(name: "second", priority: 1)
    try await farm.wait(for: job, until: .rendering)
    // The segments that are leased first are not among those that are decoded first.
    var leased: Set<Int> = []
    while leased.isDisjoint(with: total) {
      let lease = try await farm.lease(worker)
      #expect(lease.job == job.id)
      leased.formUnion(lease.description.first..<lease.description.end)
    }
    release.yield()
    let decoded = try #require(await search.next())
    release.yield()
    #expect(decoded.isDisjoint(with: leased))
    #expect(decoded.isSuperset(of: total.subtracting(leased)))
  }

  @Test func `a job completes while the search is still decoding`() async throws {
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    // It ends only when the task is cancelled.
    let (never, lasting) = AsyncStream.makeStream(of: Void.self)
    let media = FakeMedia(decoding: { _ in
      begin.yield()
      for await _ in never {}
      end.yield()
      throw CancellationError()
    })
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    let job = try await farm.submit()
    for await _ in begins { break }
    let worker = try await farm.register()
    #expect(try await farm.finish(job, by: worker).state == .completed)
    // The process that was decoding is told to stop.
    for await _ in ends { break }
    lasting.finish()
  }

  @Test func `a search that fails leaves the job to the workers`() async throws {
    let (searches, searched) = AsyncStream.makeStream(of: Void.self)
    let media = FakeMedia(decoding: { _ in
      searched.yield()
      throw JobError(.mediaProcessDied, "it died")
    })
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    let jobs = [try await farm.submit(), try await farm.submit(name: "next")]
    // The search in the second job begins after the one in the first has ended.
    var search = searches.makeAsyncIterator()
    for _ in jobs { await search.next() }
    let worker = try await farm.register()
    for job in jobs { #expect(try await farm.finish(job, by: worker).state == .completed) }
  }

  @Test func `a job that was searched once is searched again after a retry`() async throws {
    let media = FakeMedia(decoding: { _ in DamagedSegment(index: 0, message: "damaged") })
    let (log, suspicions) = Self.log()
    var suspicion = suspicions.makeAsyncIterator()
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero, log: log)
    let job = try await farm.submit()
    #expect(await suspicion.next() != nil)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(await suspicion.next() != nil)
  }
}
