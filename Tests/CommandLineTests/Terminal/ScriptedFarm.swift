import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization

/// A coordinator with one job, whose states a test sets, and with lists that are too wide for narrow terminals.
final class ScriptedFarm: Sendable {
  /// The names of jobs and workers, with wide characters.
  static let longName = "日本の海岸 — the very long name of a film about a beach, second cut, final"

  private let box: Box
  private let server: Server

  /// A job that renders, of 1,000 frames.
  static let rendering: JobStatus = {
    var job = JobStatus(
      id: "5f0c1d2e3f4g", name: longName, state: .rendering,
      createdAt: Date(timeIntervalSince1970: 0), frameCount: 1000, framesRendered: 420,
      framesPerSecond: 61.25, frameDuration: 0.04, secondsRemaining: 83)
    job.segments.completed = 4
    job.segments.leased = 2
    job.segments.pending = 4
    job.strip = "c100,u200,e120,r80,w499,f1"
    return job
  }()

  /// The job once it is complete.
  static let completed: JobStatus = {
    var job = rendering
    job.state = .completed
    job.framesRendered = 1000
    job.finishedAt = Date(timeIntervalSince1970: 20)
    (job.framesCopied, job.framesReused, job.framesEncoded) = (100, 200, 700)
    job.strip = "c100,u200,e700"
    return job
  }()

  init(_ job: JobStatus = rendering) throws {
    var router = Router()
    let box = Box(job)
    router.get("/api/v1/jobs") { _ in .json(data: try FarmCoding.encode([box.job, box.job])) }
    router.get("/api/v1/jobs/{id}") { _ in .json(data: try FarmCoding.encode(box.job)) }
    router.get("/api/v1/jobs/{id}/events") { _ in .events(box.subscribe()) }
    router.get("/api/v1/jobs/{id}/segments") { _ in
      .json(
        data: try FarmCoding.encode(
          (0..<12).map {
            SegmentStatus(
              index: $0, first: $0 * 80, end: $0 * 80 + 80, state: .leased, attempts: 1,
              worker: Self.longName, framesRendered: 12)
          }))
    }
    router.get("/api/v1/workers") { _ in
      .json(
        data: try FarmCoding.encode(
          (0..<3).map {
            WorkerStatus(
              id: "w\($0)c1d2e3f4g5", name: Self.longName, slots: 4, leases: 2, state: .active,
              segmentsCompleted: 12345, segmentsFailed: 6, secondsSinceSeen: 1, memory: 8 << 30,
              memoryInUse: 3 << 30)
          }))
    }
    self.box = box
    server = try Server(ServerConfiguration(), router: router)
  }

  /// The farm's address.
  var url: String { "http://127.0.0.1:\(server.port)" }

  /// Changes the job, which its watchers learn.
  func change(to job: JobStatus) throws { try box.change(to: job) }

  /// Ends the server.
  func end() async { await server.shutdown(grace: .zero) }

  private final class Box: Sendable {
    private let state: Mutex<JobStatus>
    private let watchers = Mutex<[AsyncStream<ServerSentEvent>.Continuation]>([])

    init(_ job: JobStatus) { state = Mutex(job) }

    var job: JobStatus { state.withLock { $0 } }

    func subscribe() -> AsyncStream<ServerSentEvent> {
      AsyncStream { continuation in
        watchers.withLock { $0.append(continuation) }
        // The job may have changed since the watcher asked for it.
        try? send(job)
      }
    }

    func change(to job: JobStatus) throws {
      state.withLock { $0 = job }
      try send(job)
    }

    private func send(_ job: JobStatus) throws {
      let event = ServerSentEvent(
        event: "job", data: String(decoding: try FarmCoding.encode(job.listed), as: UTF8.self))
      for watcher in watchers.withLock({ $0 }) {
        watcher.yield(event)
        if job.state.isFinal { watcher.finish() }
      }
    }
  }
}
