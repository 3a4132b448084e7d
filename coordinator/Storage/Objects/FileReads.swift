import Synchronization

/// Lets tests observe, delay or fail reading of whole files in the stores.
package enum FileReads {
  /// Called with the path of a file before it is read from its beginning.
  package typealias Observer = @Sendable (_ path: String) -> Void

  private static let observers = Mutex<[String: Observer]>([:])
  private static let refusals = Mutex<[String: Int32]>([:])

  /// Calls `observer` for reads below a folder, until this is called with `nil`.
  package static func observe(under folder: String, by observer: Observer?) {
    observers.withLock { $0[folder] = observer }
  }

  /// Makes opening files below a folder fail with a system error number, until this is called with `nil`.
  package static func refuse(under folder: String, with number: Int32?) {
    refusals.withLock { $0[folder] = number }
  }

  /// The error number with which opening the file at `path` must fail; `nil` if it must not fail.
  static func refusal(of path: String) -> Int32? {
    refusals.withLock { refusals in refusals.first { path.hasPrefix($0.key) }?.value }
  }

  static func begin(_ path: String) {
    // Called without the lock, because an observer may wait.
    let observers = observers.withLock { $0.filter { path.hasPrefix($0.key) }.values }
    for observer in observers { observer(path) }
  }
}
