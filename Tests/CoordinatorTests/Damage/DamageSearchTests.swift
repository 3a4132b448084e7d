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
@Suite(.mayBlock, .timeLimit(.minutes(1))) struct DamageSearchTests {
  private static let damaged = JobFailure(
    code: FailureCode(rawValue: "frame-damaged"),
    message: "the frame at 1.000 s is damaged (output frame 30): a.mp4")

  @Test func `a job whose waiting segments show damage fails before a worker renders them`()
    async throws
  {
    let media = FakeMedia(decoding: { _ in Self.damaged })
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    let status = try await farm.end(of: farm.submit())
    #expect(status.state == .failed)
    #expect(status.failure == Self.damaged)
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
    let lease = try await farm.lease(worker)
    release.yield()
    let decoded = try #require(await search.next())
    release.yield()
    #expect(lease.job == job.id)
    let leased = lease.description.first..<lease.description.end
    #expect(decoded.isDisjoint(with: leased))
    #expect(decoded.union(leased).symmetricDifference(total).isEmpty)
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
    try await assertCompletes(after: searches, media)
  }

  @Test func `damage that a second process does not find leaves the job to the workers`()
    async throws
  {
    let (searches, searched) = AsyncStream.makeStream(of: Void.self)
    let count = Mutex(0)
    let media = FakeMedia(decoding: { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      guard isFirst else {
        searched.yield()
        return nil
      }
      return Self.damaged
    })
    try await assertCompletes(after: searches, media)
  }

  /// Checks that a job completes although it was searched before a worker came.
  private func assertCompletes(after searches: AsyncStream<Void>, _ media: FakeMedia) async throws {
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    let jobs = [try await farm.submit(), try await farm.submit(name: "next")]
    // The search in the second job begins after the one in the first has ended.
    var search = searches.makeAsyncIterator()
    for _ in jobs { await search.next() }
    let worker = try await farm.register()
    for job in jobs { #expect(try await farm.finish(job, by: worker).state == .completed) }
  }

  @Test func `a job that was searched once is searched again after a retry`() async throws {
    let searches = Mutex(0)
    let media = FakeMedia(decoding: { _ in
      searches.withLock { $0 += 1 }
      return Self.damaged
    })
    let farm = try await TestFarm(media: media, damageSearchDelay: .zero)
    let job = try await farm.submit()
    #expect(try await farm.end(of: job).state == .failed)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.end(of: job).state == .failed)
    // Each search is confirmed.
    #expect(searches.withLock { $0 } == 4)
  }
}
