import FarmAPI
import Foundation
import Threads

/// The signals, and the end of standard input, that stop the coordinator.
enum StopSignal {
  /// Blocks SIGTERM and SIGINT so that ``wait(exitsWithParent:log:)`` receives them. Call it before any thread starts.
  static func prepare() {
    var signals = set
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// The number of seconds that stopping may take. Docker kills a container ten seconds after SIGTERM.
  private static let grace = 8.0

  /// Waits for a signal or the end of standard input, and returns the reason to stop. If the process then takes longer
  /// than ``grace`` to stop, it exits.
  static func wait(exitsWithParent: Bool, log: Log) async -> String {
    let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
    BlockingThread.start(named: "signals") {
      var signals = set
      var number: Int32 = 0
      sigwait(&signals, &number)
      continuation.yield(number == SIGINT ? "SIGINT" : "SIGTERM")
      endLate(log)
    }
    if exitsWithParent {
      BlockingThread.start(named: "parent") {
        var byte: UInt8 = 0
        while true {
          let count = read(0, &byte, 1)
          if count == 0 || (count < 0 && errno != EINTR) { break }
        }
        continuation.yield("the parent process ended")
        endLate(log)
      }
    }
    return await reasons.first { _ in true } ?? "unknown reason"
  }

  /// Makes the process exit with an error if it takes longer than ``grace`` to stop after a breakdown.
  static func limitStop(_ log: Log) {
    BlockingThread.start(named: "late-end") { endLate(log, code: 1) }
  }

  /// Ends the process after ``grace``. Call it on a separate thread, so that nothing can delay it, such as a disk that
  /// hangs. The data directory is then as after a crash, and the next start recovers it.
  private static func endLate(_ log: Log, code: Int32 = 0) -> Never {
    Thread.sleep(forTimeInterval: grace)
    // Logging has its own thread too, because a log that nothing reads would block.
    BlockingThread.start(named: "last-words") {
      log.error("still busy after \(Int(grace)) s: exiting now; jobs continue after the next start")
    }
    Thread.sleep(forTimeInterval: 0.5)
    _exit(code)
  }

  private static var set: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
