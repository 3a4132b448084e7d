import Synchronization

/// The readings of whole files of the stores, for tests that count them or hold them up.
package enum FileReads {
  /// Called with the path of a file before it is read from its beginning.
  package typealias Observer = @Sendable (_ path: String) -> Void

  private static let observers = Mutex<[String: Observer]>([:])

  /// Lets `observer` observe readings below a folder from now on, until it is `nil`.
  package static func observe(under folder: String, by observer: Observer?) {
    observers.withLock { $0[folder] = observer }
  }

  static func begin(_ path: String) {
    // Without the lock: an observer may wait.
    let observers = observers.withLock { $0.filter { path.hasPrefix($0.key) }.values }
    for observer in observers { observer(path) }
  }
}
