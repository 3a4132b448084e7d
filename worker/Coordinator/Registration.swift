import FarmAPI
import HTTP

/// Registers the worker once for all slots, and again if the coordinator has forgotten it.
package actor Registration {
  private let connection: CoordinatorConnection
  private let registration: WorkerRegistration
  private let retirement: Retirement
  private let pauses: Pauses
  private let log: Log
  private var current: Task<WorkerWelcome, any Error>?

  /// Creates a registration that has not been sent yet.
  package init(
    _ registration: WorkerRegistration, at connection: CoordinatorConnection,
    retirement: Retirement, pauses: Pauses, log: Log
  ) {
    self.registration = registration
    self.retirement = retirement
    self.connection = connection
    self.pauses = pauses
    self.log = log
  }

  /// Registers the worker and returns the response. Waits until the coordinator can be reached.
  ///
  /// - Throws: ``CoordinatorError/tokenRevoked(_:)`` if the coordinator has refused the token for too long,
  ///   ``Retirement/Retired``, or `CancellationError`.
  package func welcome() async throws -> WorkerWelcome {
    let task = current ?? Task { try await register() }
    current = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Records that the coordinator no longer knows the id.
  package func forget(_ id: String) async {
    guard let current, let welcome = try? await current.value, welcome.id == id,
      self.current == current
    else { return }
    self.current = nil
  }

  private func register() async throws -> WorkerWelcome {
    try await pauses.retrying("register", log: log) {
      try retirement.check()
      let welcome = try await connection.register(registration)
      retirement.registered()
      log.info("registered", ["coordinator": connection.servers.current, "worker-id": welcome.id])
      return welcome
    }
  }
}
