import Foundation

/// A temporary farm for one job on this machine: a coordinator and workers as child processes.
final class LoopbackFarm: Sendable {
  /// The coordinator's base URL.
  let coordinator: String
  private let directory: WorkingDirectory
  private let manager: FarmProgram
  private let workers: [FarmProgram]

  /// The time that children may take to exit before they are killed.
  private static let grace = Duration.seconds(2)

  private init(
    coordinator: String, directory: WorkingDirectory, manager: FarmProgram,
    workers: [FarmProgram]
  ) {
    self.coordinator = coordinator
    self.directory = directory
    self.manager = manager
    self.workers = workers
  }

  /// Runs `body` with a farm and returns its value. The farm is removed afterwards, also if `body` throws.
  ///
  /// - Parameters:
  ///   - mediaRoots: the directories whose files are read in place.
  ///   - sources: the origins from which assets may be fetched, as arguments of the coordinator.
  static func with<Value: Sendable>(
    workers count: Int, slots: Int, mediaRoots: [String], sources: [String], in parent: String,
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
      for number in 1...max(count, 1) {
        children.append(
          try FarmProgram(
            "sheaf-worker",
            [
              "--coordinator", url, "--slots", "\(slots)", "--name", "local-\(number)",
              "--cache", directory.path, "--exit-with-parent",
            ] + roots, log: "\(directory.path)/worker-\(number).log",
            holding: directory.childrenLock))
      }
      let farm = LoopbackFarm(
        coordinator: url, directory: directory, manager: manager,
        workers: Array(children.dropFirst()))
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

  /// Runs the body, unless the coordinator or all the workers end before it does.
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

  /// Waits until the coordinator or all workers have ended, or the task is cancelled.
  private func collapse() async -> any Error {
    let (ends, end) = AsyncStream.makeStream(of: FarmProgram.self)
    for child in [manager] + workers {
      Task {
        await child.waitUntilEnded()
        end.yield(child)
      }
    }
    var left = workers.count
    for await child in ends {
      left -= child === manager ? 0 : 1
      guard child === manager || left == 0 else { continue }
      return CommandFailure(
        .failed, child === manager ? "the coordinator exited" : "all workers exited",
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
