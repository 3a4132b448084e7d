import FarmAPI
import Foundation
import Synchronization

/// The lines that the worker has logged about an attempt and not sent to the coordinator.
///
/// Heartbeats, the failure report and the chunk's manifest carry them. If there are too many, the oldest are dropped.
package final class AttemptLines: Sendable {
  private static let source = "worker"

  private let unsent = Mutex(AttemptLog())

  package init() {}

  package func add(_ line: String) {
    unsent.withLock { $0.add(line, from: Self.source, at: .now) }
  }

  /// Removes and returns the lines; `nil` if there are none.
  ///
  /// - Parameter byteLimit: the maximum length of the text in bytes.
  package func take(atMost byteLimit: Int = AttemptLog.byteLimit) -> String? {
    unsent.withLock { unsent in
      let log = unsent.shortened(toBytes: byteLimit)
      unsent = AttemptLog()
      return log.isEmpty ? nil : log.text
    }
  }

  /// Puts lines back in front of newer ones, because they could not be sent.
  package func putBack(_ text: String) {
    unsent.withLock { unsent in
      var log = AttemptLog()
      log.add(linesOf: text)
      log.add(linesOf: unsent.text)
      unsent = log
    }
  }
}
