import FarmAPI
import HTTP
import Synchronization

/// Logs why assets do not arrive while renders wait for them. All slots of a worker share one object.
package final class AssetFailures: Sendable {
  private let log: Log
  private let stopwatch: @Sendable () -> Duration
  private let troubles = Mutex(Troubles())

  /// Creates the object with the worker's log.
  package init(log: Log, clock: any Clock<Duration> = ContinuousClock()) {
    self.log = log
    stopwatch = clock.stopwatch()
  }

  /// Logs that a transfer failed and will be tried again, unless the same failure was logged recently.
  func note(_ error: ClientError, from url: String) {
    let isNews = troubles.withLock { $0.note(url, "\(error)", at: stopwatch()) }
    if isNews { log.error("waiting", ["for": url, "because": "\(error)"]) }
  }

  /// Logs that a transfer has received data again, if it had failed.
  func settle(_ url: String) {
    guard let length = troubles.withLock({ $0.settle(url, at: stopwatch()) }) else { return }
    log.info("recovered", ["for": url, "after-seconds": length.inSeconds])
  }
}
