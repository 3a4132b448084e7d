import FarmAPI
import Foundation
import HTTP
import Support
import sheaf_worker

/// A suite whose tests run a worker's loop against a coordinator that follows a script.
protocol LeaseLoopSuite {
  var folder: TemporaryDirectory { get }
  var coordinator: FakeCoordinator { get }
}

extension LeaseLoopSuite {
  private func loop(
    _ renderer: PretendedRenderer = PretendedRenderer(), slots: Int = 1,
    memory: Int? = nil, spoolDirectory: String? = nil
  ) -> LeaseLoop {
    LeaseLoop(
      registration: WorkerRegistration(
        name: "test", slots: slots, fingerprint: "f", memory: memory),
      connection: CoordinatorConnection(client: Client(to: ServerAddresses(coordinator.url))),
      renderer: renderer, spoolDirectory: spoolDirectory ?? folder.path,
      pauses: Pauses(
        backoff: Backoff(first: .milliseconds(10), cap: .milliseconds(20)),
        stopPatience: .milliseconds(20)),
      log: Log(.quiet) { _ in })
  }

  /// Runs a worker while `body` runs, then stops it and waits until it has ended.
  func withWorker(
    _ renderer: PretendedRenderer = PretendedRenderer(), slots: Int = 1,
    memory: Int? = nil, spoolDirectory: String? = nil, _ body: () async throws -> Void
  ) async throws {
    let loop = loop(renderer, slots: slots, memory: memory, spoolDirectory: spoolDirectory)
    let work = Task { try await loop.run() }
    do {
      try await body()
    } catch {
      work.cancel()
      throw error
    }
    work.cancel()
    try await work.value
    await coordinator.shutdown()
  }

  func isDelivery(_ call: FakeCoordinator.Call) -> Bool {
    switch call {
    case .delivered, .deliveredFile: true
    default: false
    }
  }
}
