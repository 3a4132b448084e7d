import Synchronization

/// The readings of whole files of the stores, for tests that count them, hold them up or let them fail.
package enum FileReads {
  /// Called with the path of a file before it is read from its beginning.
  package typealias Observer = @Sendable (_ path: String) -> Void

  private static let observers = Mutex<[String: Observer]>([:])
  private static let refusals = Mutex<[String: Int32]>([:])

  /// Lets `observer` observe readings below a folder from now on, until it is `nil`.
  package static func observe(under folder: String, by observer: Observer?) {
    observers.withLock { $0[folder] = observer }
  }

  /// Lets the opening of files below a folder fail with a system error number from now on, until it is `nil`.
  package static func refuse(under folder: String, with number: Int32?) {
    refusals.withLock { $0[folder] = number }
  }

  /// The error number with which opening the file at `path` is to fail; `nil` if it is not.
  static func refusal(of path: String) -> Int32? {
    refusals.withLock { refusals in refusals.first { path.hasPrefix($0.key) }?.value }
  }

  static func begin(_ path: String) {
    // Without the lock: an observer may wait.
    let observers = observers.withLock { $0.filter { path.hasPrefix($0.key) }.values }
    for observer in observers { observer(path) }
  }
}
