import FarmAPI
import Foundation
import HTTP
import Synchronization
import Threads

/// A lease that the worker holds, from its arrival until its chunk is delivered or the lease is released.
final class LeasedWork: Sendable {
  private let lease: Lease
  /// Where chunks can be left instead of being sent.
  private let folder: ChunkFolder?
  private let connection: CoordinatorConnection
  private let pauses: Pauses
  private let log: Log
  private let progress = RenderProgress()
  private let lines = AttemptLines()
  private let heartbeat: HeartbeatLoop

  /// How often the worker tries to give a lease back. It is about to exit, and the lease would expire a little later
  /// anyway.
  private static let giveBackTries = 3
  private static let giveBackPause = Duration.milliseconds(250)

  init(
    lease: Lease, under welcome: WorkerWelcome, connection: CoordinatorConnection, pauses: Pauses,
    log: Log
  ) {
    self.lease = lease
    folder = connection.servers.areLoopback ? welcome.chunkFolder : nil
    self.connection = connection
    self.pauses = pauses
    let log = log.about([
      "job": lease.job, "segment": "\(lease.segment)", "attempt": "\(lease.attempt)",
    ]).copying { [lines] line in lines.add(line) }
    self.log = log
    heartbeat = HeartbeatLoop(
      token: lease.token, interval: .milliseconds(max(lease.heartbeatMilliseconds, 50)),
      progress: progress, lines: lines,
      connection: connection, pauses: pauses, log: log)
  }

  /// Gives the lease back without rendering the segment.
  func decline(because reason: String) async {
    log.error("declined", ["because": reason])
    await giveBack()
  }

  /// Renders the segment. Returns `nil` if there is nothing to deliver, after reporting the reason to the coordinator.
  func render(
    with renderer: any ChunkRendering, spoolDirectory: String, slot: Int
  ) async -> FinishedChunk? {
    log.info("leased", ["slot": "\(slot)"])
    heartbeat.start()
    do {
      let (lease, progress, pauses) = (lease, progress, pauses)
      let rendering = Task {
        try await BlockingThread.runUntilCancelled(named: "slot \(slot)") {
          let file = try UnlinkedFile(in: spoolDirectory)
          return FinishedChunk(
            manifest: try renderer.render(lease, to: file.path, progress: progress), file: file)
        }
      }
      // A render that hangs without noticing that it is stopped must not keep its slot.
      progress.whenStopped {
        Task {
          try? await pauses.wait(pauses.stopPatience)
          rendering.cancel()
        }
      }
      let chunk = try await withTaskCancellationHandler {
        try await rendering.value
      } onCancel: {
        rendering.cancel()
      }
      log.info("rendered", ["frames": "\(chunk.manifest.frameCount)"])
      return chunk
    } catch is CancellationError where progress.isStopped && !Task.isCancelled {
      log.error("abandoned", ["because": "the render did not stop"])
    } catch is CancellationError {
      progress.stop()
      await giveBack()
    } catch is RenderStopped {
      log.info("stopped")
    } catch {
      await report(renderer.report(of: error))
    }
    heartbeat.stop()
    return nil
  }

  /// Delivers the chunk. Waits as long as the coordinator is unavailable.
  func deliver(_ chunk: FinishedChunk) async {
    defer { heartbeat.stop() }
    let (connection, pauses, log, token) = (connection, pauses, log, lease.token)
    var manifest = chunk.manifest
    manifest.log = lines.take(atMost: ChunkManifest.logLimit).map { Data($0.utf8) }
    let name = ChunkFolder.newFileName()
    let mayStore = Mutex(true)
    let delivery = Task { [manifest, folder] in
      try await pauses.retrying("delivery", log: log) {
        if manifest.concealments == nil, let folder,
          let file = try await ChunkFile(linking: chunk.file, in: folder)
        {
          let outcome = try await connection.deliver(chunkNamed: file.name, manifest, for: token)
          if outcome != .unseen { return outcome }
        }
        if manifest.concealments == nil, mayStore.withLock(\.self),
          try await connection.store(chunkAt: chunk.file.path, manifest, as: name, under: token)
        {
          // If it cannot be delivered so, it is sent the next time.
          mayStore.withLock { $0 = false }
          let outcome = try await connection.deliver(chunkNamed: name, manifest, for: token)
          if outcome != .unseen { return outcome }
        }
        return try await connection.deliver(chunkAt: chunk.file.path, manifest, for: token)
      }
    }
    // The chunk of a withdrawn lease is useless, so its transfer is cancelled to make room for the next.
    progress.whenStopped { delivery.cancel() }
    do {
      let outcome = try await withTaskCancellationHandler {
        try await delivery.value
      } onCancel: {
        delivery.cancel()
      }
      switch outcome {
      case .accepted: log.info("delivered", ["bytes": "\(chunk.manifest.byteCount)"])
      case .stale: log.error("dropped", ["because": "the lease is no longer valid"])
      case .refused(let reason):
        await report(
          FailureReport(code: .invalidChunk, message: reason, isPermanent: false))
      case .unseen:
        await report(
          FailureReport(
            code: .undeliverable, message: "the coordinator expects the chunk in a file",
            isPermanent: false))
      }
    } catch is CancellationError where progress.isStopped && !Task.isCancelled {
      log.info("stopped")
    } catch is CancellationError {
      await giveBack()
    } catch {
      await report(
        FailureReport(code: .undeliverable, message: "\(error)", isPermanent: false))
    }
  }

  private func report(_ failure: FailureReport) async {
    log.error("failed", ["code": failure.code.rawValue, "because": failure.message])
    var failure = failure
    failure.log = lines.take()
    do {
      try await pauses.retrying("failure report", log: log) { [failure] in
        try await connection.report(failure, for: lease.token)
      }
    } catch is CancellationError {
      await giveBack()
    } catch {
      log.error("failure-not-reported", ["because": "\(error)"])
    }
  }

  /// Gives the lease back, so that another worker can have the segment. Runs even though the task is cancelled.
  private func giveBack() async {
    heartbeat.stop()
    let (connection, token, pauses) = (connection, lease.token, pauses)
    do {
      try await Task.detached {
        for attempt in 1... {
          do {
            return try await connection.giveBack(token)
          } catch let error where CoordinatorError.isPassing(error) && attempt < Self.giveBackTries
          {
            try await pauses.wait(Self.giveBackPause)
          }
        }
      }.value
      log.info("given-back")
    } catch {
      log.error("lease-not-given-back", ["because": "\(error)"])
    }
  }
}
