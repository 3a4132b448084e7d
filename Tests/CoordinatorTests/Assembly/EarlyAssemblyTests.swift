import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Files are assembled while their sound is still being mixed.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EarlyAssemblyTests {
  private static func part(
    _ number: Int, until end: Int64, isLast: Bool = false
  ) -> SoundPart {
    SoundPart(
      number: number, start: number == 0 ? -1024 : 48_000 * Int64(number), end: RationalTime(end),
      isLast: isLast, content: WrittenContent.of("part \(number)".utf8))
  }

  /// Whether mixes may end.
  private final class Gate: Sendable {
    private let isOpen = Mutex(false)

    private let isCancelled = Mutex(false)

    /// Whether a mix was cancelled before it was open.
    var hasCancelled: Bool { isCancelled.withLock { $0 } }

    func open() { isOpen.withLock { $0 = true } }

    func pass() async throws {
      do {
        try await eventually("the gate is open") { isOpen.withLock { $0 } }
      } catch let error as CancellationError {
        isCancelled.withLock { $0 = true }
        throw error
      }
    }
  }

  /// A farm whose mixes tell news, and last until `gate` is open or they are cancelled.
  private func farm(
    telling news: [SoundNews], until gate: Gate, failing error: JobError? = nil,
    badChunk: Data? = nil, assemblyFailures: [any Error] = [], partFailures: [any Error] = []
  ) async throws -> TestFarm {
    let media = FakeMedia(
      badChunk: badChunk, code: .notConfined, assemblyFailures: assemblyFailures,
      mixing: {
        try await gate.pass()
        if let error { throw error }
      }, soundNews: news, partFailures: partFailures)
    return try await TestFarm(media: media)
  }

  /// Submits a job, and delivers its chunks until one is not accepted.
  private func deliver(on farm: TestFarm) async throws -> [Lease] {
    let job = try await farm.submit()
    let worker = try await farm.register()
    var leases = [try await farm.lease(worker)]
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    while leases.count < status.segments.total { leases.append(try await farm.lease(worker)) }
    for lease in leases {
      guard try await farm.deliver(lease).status == .ok else { break }
    }
    return leases.sorted { $0.segment < $1.segment }
  }

  private func end(of leases: [Lease], on farm: TestFarm) async throws -> JobStatus {
    let job = try #require(leases.first?.job)
    return try await eventually("the job ends") {
      try await farm.get("/jobs/\(job)") as JobStatus
    } satisfies: {
      $0.state.isFinal
    }
  }

  @Test func `all chunks are appended before the sound is mixed if the rest of it is short`()
    async throws
  {
    let gate = Gate()
    let parts = [Self.part(0, until: 5), Self.part(1, until: 11, isLast: true)]
    let farm = try await farm(telling: parts.map { .part($0) }, until: gate)
    let leases = try await deliver(on: farm)
    try await eventually("all chunks are appended") { farm.media.reaches.count == leases.count }
    #expect(farm.media.mixCount == 0)
    gate.open()
    #expect(try await end(of: leases, on: farm).state == .completed)
    #expect(farm.media.mixCount == 1)
    #expect(farm.media.addedParts == parts)
  }

  @Test func `only chunks whose sound is available are appended before the sound is mixed`()
    async throws
  {
    let gate = Gate()
    let farm = try await farm(telling: [.part(Self.part(0, until: 5))], until: gate)
    let leases = try await deliver(on: farm)
    let early = leases.filter { $0.description.end <= 5 * 25 }.count
    #expect(early > 0 && early < leases.count)
    try await eventually("the first chunks are appended") { farm.media.reaches.count >= early }
    #expect(farm.media.reaches.count == early)
    gate.open()
    #expect(try await end(of: leases, on: farm).state == .completed)
    // The last part is missing, so the file began again.
    #expect(farm.media.reaches.count == early + leases.count)
    #expect(containsMix(farm))
  }

  /// Whether the last file began with the finished mix.
  private func containsMix(_ farm: TestFarm) -> Bool {
    guard let sound = farm.media.begunSounds.last, case .mix? = sound else { return false }
    return true
  }

  @Test func `a file waits for the mix if the parts of its sound are withdrawn`() async throws {
    let gate = Gate()
    let farm = try await farm(
      telling: [.part(Self.part(0, until: 11, isLast: true)), .withdrawn], until: gate)
    let leases = try await deliver(on: farm)
    gate.open()
    #expect(try await end(of: leases, on: farm).state == .completed)
    #expect(farm.media.mixCount == 1)
    #expect(containsMix(farm))
  }

  @Test func `a file waits for the mix if a part of its sound cannot be used`() async throws {
    let gate = Gate()
    let parts = [Self.part(0, until: 5), Self.part(1, until: 11, isLast: true)]
    let farm = try await farm(
      telling: parts.map { .part($0) }, until: gate,
      partFailures: [JobError(.badMix, "the part is not what it should be")])
    let leases = try await deliver(on: farm)
    gate.open()
    #expect(try await end(of: leases, on: farm).state == .completed)
    #expect(farm.media.addedParts == [parts[0]])
    #expect(containsMix(farm))
  }

  @Test func `if assembling fails for a passing reason, the mix is finished for the next run`()
    async throws
  {
    let gate = Gate()
    let farm = try await farm(
      telling: [.part(Self.part(0, until: 11, isLast: true))], until: gate,
      assemblyFailures: [JobError(.mediaProcessKilled, "killed")])
    let leases = try await deliver(on: farm)
    try await eventually("all chunks are appended") { farm.media.reaches.count == leases.count }
    gate.open()
    #expect(try await end(of: leases, on: farm).state == .completed)
    #expect(!gate.hasCancelled)
    #expect(farm.media.reaches.count == 2 * leases.count)
  }

  @Test(arguments: [5, 11]) func `if the mix fails, so does the job, whose file has some chunks`(
    end: Int64
  ) async throws {
    let gate = Gate()
    let farm = try await farm(
      telling: [.part(Self.part(0, until: end, isLast: end == 11))], until: gate,
      failing: JobError(.mediaProcessFailed, "the sound is damaged"))
    let leases = try await deliver(on: farm)
    try await eventually("some chunks are appended") { !farm.media.reaches.isEmpty }
    gate.open()
    let status = try await self.end(of: leases, on: farm)
    #expect(status.failure?.code == .mediaProcessFailed)
    try await eventually("the unfinished file is gone") { farm.media.openFileCount == 0 }
  }

  @Test func `if the file cannot be assembled, the job fails, and its mix is cancelled`()
    async throws
  {
    let gate = Gate()
    let farm = try await farm(
      telling: [.part(Self.part(0, until: 11, isLast: true))], until: gate,
      badChunk: Data("<1>".utf8))
    let leases = try await deliver(on: farm)
    let status = try await end(of: leases, on: farm)
    #expect(status.failure?.code == .notConfined)
    #expect(gate.hasCancelled)
  }
}
