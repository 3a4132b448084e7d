import Dispatch
import Foundation
import Threads

/// Listens for signals, and for the end of standard input, to stop the process.
///
/// `@unchecked` is sound because the object does not change after its creation and its sources are thread-safe.
final class StopSignals: @unchecked Sendable {
  private let sources: [any DispatchSourceSignal]

  /// Calls `stop` with the signal's name, on a separate queue, each time a signal arrives.
  init(_ stop: @escaping @Sendable (String) -> Void) {
    let queue = DispatchQueue(label: "signals")
    sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")].map { number, name in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { stop(name) }
      source.resume()
      return source
    }
  }

  /// Calls `stop` when standard input ends. That also happens if the parent is killed.
  ///
  /// `PR_SET_PDEATHSIG` does not work here: it fires when the parent's thread that started the child ends.
  static func watchStandardInput(_ stop: @escaping @Sendable (String) -> Void) {
    BlockingThread.start(named: "parent") {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      stop("end of standard input")
    }
  }
}
