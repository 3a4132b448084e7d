/// Starts workers, and knows which of them have not ended.
package protocol ScaleDriver: Sendable {
  /// The workers that were started and have not ended, by name.
  ///
  /// - Throws: ``CommandFailure``.
  func workers() async throws -> [String: StartedWorker]

  /// Starts workers one after the other, and returns their names: fewer than asked for if only some could be started.
  ///
  /// - Parameter lifetime: the longest time after which a worker takes no more segments, in seconds. See ``Stagger``.
  /// - Throws: ``CommandFailure`` if none could be started.
  func start(_ count: Int, lifetime: Int) async throws -> [String]
}

/// A worker that was started and has not ended.
package struct StartedWorker: Hashable, Sendable {
  /// Whether it runs, and does not wait in a queue.
  package var isRunning: Bool
  /// Why it waits.
  package var reason: String?

  package init(isRunning: Bool, reason: String? = nil) {
    self.isRunning = isRunning
    self.reason = reason
  }
}
