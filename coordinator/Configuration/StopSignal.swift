import Foundation

/// What tells the coordinator to stop.
enum StopSignal {
  /// Keeps SIGTERM and SIGINT for ``wait(exitsWithParent:)``; call it before any thread is started.
  static func prepare() {
    var signals = set
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for a signal, or the end of standard input, and says which it was.
  static func wait(exitsWithParent: Bool) async -> String {
    let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
    let waiter = Thread {
      var signals = set
      var number: Int32 = 0
      sigwait(&signals, &number)
      continuation.yield(number == SIGINT ? "SIGINT" : "SIGTERM")
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
      }
      reader.name = "parent"
      reader.start()
    }
    return await reasons.first { _ in true } ?? "no reason"
  }

  private static var set: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
