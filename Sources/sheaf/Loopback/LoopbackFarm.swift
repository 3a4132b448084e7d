import Foundation

/// A temporary farm for one job on this machine: a coordinator and a worker as child processes.
///
/// One worker has all slots, because several would have to divide the host's memory, and a segment that fits on the host
/// might fit in none of the parts.
final class LoopbackFarm: Sendable {
  /// The coordinator's base URL.
  let coordinator: String
  private let directory: WorkingDirectory
  private let manager: FarmProgram
  private let worker: FarmProgram

  /// The largest number of slots that a worker can have.
  static let mostSlots = 256

  /// The time that children may take to exit before they are killed.
  private static let grace = Duration.seconds(2)

  private init(
    coordinator: String, directory: WorkingDirectory, manager: FarmProgram,
    worker: FarmProgram
  ) {
    self.coordinator = coordinator
    self.directory = directory
    self.manager = manager
    self.worker = worker
  }

  /// Runs `body` with a farm and returns its value. The farm is removed afterwards, also if `body` throws.
  ///
  /// - Parameters:
  ///   - slots: the number of segments to render at a time, at most ``mostSlots``.
  ///   - memory: the memory that they may need together, in bytes; `nil` for the machine's, minus a reserve.
  ///   - mediaRoots: the directories whose files are read in place.
  ///   - sources: the origins from which assets may be fetched, as arguments of the coordinator.
  static func with<Value: Sendable>(
    slots: Int, memory: Int? = nil, mediaRoots: [String], sources: [String], in parent: String,
    _ body: @escaping @Sendable (LoopbackFarm) async throws -> Value
  ) async throws -> Value {
    let directory = try WorkingDirectory(in: parent)
    var children: [FarmProgram] = []
    let outcome: Result<Value, any Error>
    do {
      let roots = mediaRoots.flatMap { ["--media-root", $0] }
      let manager = try FarmProgram(
        "sheaf-coordinator",
        [
          "serve", "--data", "\(directory.path)/data", "--bind", "127.0.0.1", "--port", "0",
          "--exit-with-parent",
        ] + roots + sources, log: "\(directory.path)/coordinator.log",
        holding: directory.childrenLock)
      children.append(manager)
      let url = try await address(of: manager)
      let worker = try FarmProgram(
        "sheaf-worker",
        [
          "--coordinator", url, "--slots", "\(min(slots, mostSlots))", "--name", "local",
          "--cache", directory.path, "--exit-with-parent",
        ] + (memory.map { ["--memory", "\($0)"] } ?? []) + roots,
        log: "\(directory.path)/worker.log", holding: directory.childrenLock)
      children.append(worker)
      let farm = LoopbackFarm(
        coordinator: url, directory: directory, manager: manager,
        worker: worker)
      outcome = .success(try await farm.run(body))
    } catch {
      outcome = .failure(error)
    }
    await end(children)
    directory.remove()
    return try outcome.get()
  }

  /// A path in the farm's directory, which is removed with the farm.
  func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  /// Runs the body, unless the coordinator or the worker ends before it does.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable (LoopbackFarm) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await body(self) }
      group.addTask { throw await self.collapse() }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// Waits until the coordinator or the worker has ended, or the task is cancelled.
  private func collapse() async -> any Error {
    let (ends, end) = AsyncStream.makeStream(of: FarmProgram.self)
    for child in [manager, worker] {
      Task {
        await child.waitUntilEnded()
        end.yield(child)
      }
    }
    for await child in ends {
      return CommandFailure(
        .failed, child === manager ? "the coordinator exited" : "the worker exited",
        on: "the local farm", remedy: child.lastWords)
    }
    return CancellationError()
  }

  private static func address(of manager: FarmProgram) async throws -> String {
    let announcement = "listening on "
    let first = try await withTaskCancellationHandler {
      try await manager.firstLine()
    } onCancel: {
      manager.terminate()
    }
    try Task.checkCancellation()
    guard let line = first, line.hasPrefix(announcement) else {
      throw CommandFailure(
        .failed, "the coordinator did not start", on: "the local farm", remedy: manager.lastWords)
    }
    return String(line.dropFirst(announcement.count))
  }

  /// Terminates the children, then kills those that remain. Finishes even if the task is cancelled.
  private static func end(_ children: [FarmProgram]) async {
    for child in children.reversed() { child.terminate() }
    let deadline = Task.detached {
      try await Task.sleep(for: grace)
      for child in children { child.destroy() }
    }
    for child in children { await child.waitUntilEnded() }
    deadline.cancel()
    // A child's own children are in its process group and may outlive it.
    for child in children { child.destroy() }
  }
}
