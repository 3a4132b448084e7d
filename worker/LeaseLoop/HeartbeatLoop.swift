import FarmAPI
import Synchronization

/// Renews a lease until the loop is stopped, and stops the render if the coordinator no longer needs it.
final class HeartbeatLoop: Sendable {
  private let token: String
  private let interval: Duration
  private let progress: RenderProgress
  private let lines: AttemptLines
  private let connection: CoordinatorConnection
  private let pauses: Pauses
  private let log: Log
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(
    token: String, interval: Duration, progress: RenderProgress, lines: AttemptLines,
    connection: CoordinatorConnection, pauses: Pauses, log: Log
  ) {
    self.token = token
    self.interval = interval
    self.progress = progress
    self.lines = lines
    self.connection = connection
    self.pauses = pauses
    self.log = log
  }

  /// Starts to send heartbeats, the first one after an interval.
  func start() {
    task.withLock { task in task = Task { await run() } }
  }

  /// Stops sending heartbeats.
  func stop() {
    task.withLock { task in task?.cancel() }
  }

  private func run() async {
    while (try? await pauses.wait(interval)) != nil {
      var heartbeat = Heartbeat(
        framesRendered: progress.framesRendered, assetBytes: progress.assetBytes,
        waitsForAssets: progress.waitsForAssets)
      heartbeat.log = lines.take()
      do {
        let outcome = try await connection.heartbeat(token, heartbeat)
        pauses.works("heartbeat", log: log)
        switch outcome {
        case .renewed: continue
        case .stop, .stale:
          progress.stop()
          return
        }
      } catch {
        // The failure report or the manifest carries them if no further heartbeat does.
        if let text = heartbeat.log { lines.putBack(text) }
        if error is CancellationError { return }
        // The render continues, because the coordinator may be back before the lease expires.
        pauses.fails("heartbeat-lost", "heartbeat", because: error, log: log)
      }
    }
  }
}
