import FarmAPI
import Threads

/// One of a worker's slots. Leases, renders, and delivers each chunk during the next render.
package struct Slot: Sendable {
  /// Which slot, from 1.
  let number: Int
  let registration: Registration
  /// The memory that it shares with the worker's other slots.
  let room: MemoryRoom
  /// When the worker stops taking leases.
  let retirement: Retirement
  let connection: CoordinatorConnection
  let renderer: any ChunkRendering
  let spoolDirectory: String
  let schedule: WorkSchedule
  let pauses: Pauses
  let log: Log

  /// Works until the task is cancelled, then gives its lease back; or until the worker takes no more leases, then
  /// delivers what it has rendered.
  ///
  /// - Throws: ``CoordinatorError/tokenRevoked(_:)`` if the coordinator has refused the token for too long.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { deliveries in
      do {
        var crowding = pauses.freshBackoff()
        while true {
          let (lease, welcome) = try await nextLease()
          retirement.began()
          let work = LeasedWork(
            lease: lease, under: welcome, connection: connection, pauses: pauses, log: log)
          let memory = lease.memory ?? 0
          guard room.enter(memory) else {
            await work.decline(because: "the segment does not fit in memory beside the others")
            retirement.ended()
            try await pauses.wait(crowding.next())
            continue
          }
          crowding.reset()
          let chunk = await work.render(
            with: renderer, spoolDirectory: spoolDirectory, slot: number)
          room.leave(memory)
          // One delivery at a time, so that a slow network holds up at most two chunks per slot.
          try await deliveries.next()
          guard let chunk else {
            retirement.ended()
            continue
          }
          deliveries.addTask {
            await work.deliver(chunk)
            retirement.ended()
          }
        }
      } catch let error where error is CancellationError || error is Retirement.Retired {
        try await deliveries.waitForAll()
      }
    }
  }

  /// The free disk space that a slot needs before it asks for a segment, in bytes.
  private static let room = 1 << 20

  /// Waits until there is disk space for a chunk, and frees the cache if the disk is full.
  private func waitForRoom() async throws {
    let (renderer, directory) = (renderer, spoolDirectory)
    try await pauses.retrying("room", log: log, while: { $0 is LocalFileError }) {
      try await BlockingThread.runUntilCancelled(named: "slot \(number)") {
        do {
          try UnlinkedFile(in: directory).reserve(Self.room)
        } catch let shortage as LocalFileError where shortage.isForWantOfRoom {
          renderer.makeRoom(shortage)
          try UnlinkedFile(in: directory).reserve(Self.room)
        }
      }
    }
  }

  /// The waits after answers that came too early.
  private static let prompt = Backoff(first: .milliseconds(50), cap: .seconds(2))
  /// The time before which an answer without work is too early.
  private static let soon = Duration.seconds(1)

  /// Waits until the worker's hours begin.
  private func waitForHours() async throws {
    guard schedule.pause != nil else { return }
    log.info("resting", ["slot": "\(number)", "hours": schedule.description])
    while let pause = schedule.pause {
      try retirement.check()
      try await pauses.wait(pause)
    }
    log.info("working", ["slot": "\(number)", "hours": schedule.description])
  }

  private func nextLease() async throws -> (Lease, WorkerWelcome) {
    var prompt = Self.prompt
    var strangeness = pauses.freshBackoff()
    while true {
      try await waitForHours()
      let welcome = try await registration.welcome()
      try await waitForRoom()
      let begin = pauses.now
      let answer = try await pauses.retrying("lease", log: log) {
        try await connection.lease(
          for: welcome.id, waitSeconds: min(schedule.pollSeconds, try retirement.check()))
      }
      switch answer {
      case .lease(let lease): return (lease, welcome)
      case .none:
        // A coordinator that is stopping answers at once, and so may another server in its place. Do not flood it.
        if pauses.now - begin >= Self.soon { prompt.reset() }
        try await pauses.wait(prompt.next())
      case .unknownWorker:
        log.info("forgotten", ["worker-id": welcome.id])
        await registration.forget(welcome.id)
        try await pauses.wait(strangeness.next())
      }
    }
  }
}
