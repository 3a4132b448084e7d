import FarmAPI

/// Registers the worker, and keeps its slots busy until the task is cancelled.
package struct LeaseLoop: Sendable {
  private let slots: [Slot]

  /// Creates a loop with the number of slots that the registration names.
  package init(
    registration: WorkerRegistration, connection: CoordinatorConnection,
    renderer: any ChunkRendering, spoolDirectory: String, schedule: WorkSchedule = WorkSchedule(),
    exitConditions: ExitConditions = ExitConditions(), pauses: Pauses = Pauses(), log: Log
  ) {
    let retirement = Retirement(exitConditions, log: log) { pauses.now }
    let place = Registration(
      registration, at: connection, retirement: retirement, pauses: pauses, log: log)
    let room = MemoryRoom(limit: registration.memory)
    slots = (1...max(registration.slots, 1)).map { number in
      Slot(
        number: number, registration: place, room: room, retirement: retirement,
        connection: connection, renderer: renderer, spoolDirectory: spoolDirectory,
        schedule: schedule, pauses: pauses,
        log: log)
    }
  }

  /// Works until the task is cancelled, then gives every lease back. If an exit condition is met first, finishes the
  /// segments that the worker holds and returns.
  ///
  /// - Throws: ``CoordinatorError/tokenRevoked(_:)`` if the coordinator has refused the token for too long.
  package func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for slot in slots { group.addTask { try await slot.run() } }
      // The first slot that fails ends the others. `waitForAll` would wait for them.
      for try await _ in group {}
    }
  }
}
