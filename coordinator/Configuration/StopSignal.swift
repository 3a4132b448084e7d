import Foundation

/// What tells the coordinator to stop.
enum StopSignal {
  /// Keeps SIGTERM and SIGINT for ``wait(exitsWithParent:)``; call it before any thread is started.
  static func prepare() {
    var signals = set
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// The seconds that stopping may take: Docker kills a container ten seconds after SIGTERM.
  private static let grace = 8.0

  /// Waits for a signal, or the end of standard input, and returns its name. From then on the process has ``grace`` to
  /// stop, and is ended if it does not.
  static func wait(exitsWithParent: Bool, log: Log) async -> String {
    let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
    let waiter = Thread {
      var signals = set
      var number: Int32 = 0
      sigwait(&signals, &number)
      continuation.yield(number == SIGINT ? "SIGINT" : "SIGTERM")
      endLate(log)
    }
    waiter.name = "signals"
    waiter.start()
    if exitsWithParent {
      let reader = Thread {
        var byte: UInt8 = 0
        while true {
          let count = read(0, &byte, 1)
          if count == 0 || (count < 0 && errno != EINTR) { break }
        }
        continuation.yield("the parent is gone")
        endLate(log)
      }
      reader.name = "parent"
      reader.start()
    }
    return await reasons.first { _ in true } ?? "no reason"
  }

  /// Ends the process after ``grace``, on a thread of its own, so that nothing can hold it up: a disk that does not answer,
  /// for example. The data directory is then as after a crash, which the next start takes up.
  private static func endLate(_ log: Log) -> Never {
    Thread.sleep(forTimeInterval: grace)
    // Nor can a log that nobody reads.
    Thread.detachNewThread {
      log.error("still busy after \(Int(grace)) s: ending now; jobs go on after the next start")
    }
    Thread.sleep(forTimeInterval: 0.5)
    _exit(0)
  }

  private static var set: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
