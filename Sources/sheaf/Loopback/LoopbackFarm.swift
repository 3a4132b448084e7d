import FarmAPI
import Foundation
import HTTP
import Preparation
import Timeline

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

  /// Starts a coordinator and a worker at the same time. The coordinator gets a socket that already listens, so
  /// requests wait until it can answer them.
  private init(
    in directory: WorkingDirectory, slots: Int, memory: Int?, mediaRoots: [String],
    cache: String?, sources: [String]
  ) throws {
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    coordinator = "http://\(socket.address):\(socket.port)"
    self.directory = directory
    let roots = mediaRoots.flatMap { ["--media-root", $0] }
    manager = try FarmProgram(
      "sheaf-coordinator",
      [
        "serve", "--data", "\(directory.path)/data", "--temporary",
        "--listen-descriptor", "\(FarmProgram.firstPassed + 1)", "--exit-with-parent",
      ] + roots + (cache.map { ["--media-cache", $0] } ?? []) + sources,
      log: "\(directory.path)/coordinator.log",
      passing: [directory.childrenLock, socket.descriptor])
    do {
      worker = try FarmProgram(
        "sheaf-worker",
        [
          "--coordinator", coordinator, "--slots", "\(min(slots, Self.mostSlots))",
          "--name", "local", "--cache", directory.path, "--exit-with-parent",
        ] + (memory.map { ["--memory", "\($0)"] } ?? []) + roots,
        log: "\(directory.path)/worker.log", passing: [directory.childrenLock])
    } catch {
      manager.destroy()
      throw error
    }
  }

  /// Runs `body` with a farm and returns its value. The farm is removed afterwards, also if `body` throws.
  ///
  /// - Parameters:
  ///   - slots: the number of segments to render at a time, at most ``mostSlots``.
  ///   - memory: the memory that they may need together, in bytes; `nil` for the machine's, minus a reserve.
  ///   - mediaRoots: the directories whose files are read in place.
  ///   - cache: the folder of this user's ``MediaCache``; `nil` for none.
  ///   - sources: the origins from which assets may be fetched, as arguments of the coordinator.
  static func with<Value: Sendable>(
    slots: Int, memory: Int? = nil, mediaRoots: [String], cache: String? = nil,
    sources: [String], in parent: String,
    _ body: @escaping @Sendable (LoopbackFarm) async throws -> Value
  ) async throws -> Value {
    let directory = try WorkingDirectory(in: parent)
    defer { directory.remove() }
    let farm = try LoopbackFarm(
      in: directory, slots: slots, memory: memory, mediaRoots: mediaRoots, cache: cache,
      sources: sources)
    let outcome: Result<Value, any Error>
    do {
      outcome = .success(try await farm.run(body))
    } catch {
      outcome = .failure(error)
    }
    await farm.end()
    return try outcome.get()
  }

  /// A path in the farm's directory, which is removed with the farm.
  func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  /// Moves a job's finished file out of the coordinator's data directory, which belongs to this command. The
  /// coordinator has read the file back after it was written.
  ///
  /// - Returns: whether the file was there, and complete.
  /// - Throws: ``CommandFailure`` if the output cannot be written.
  func handOver(_ job: JobStatus, to output: OutputPath) throws(CommandFailure) -> Bool {
    let file = "\(directory.path)/data/outputs/\(job.id).\(output.fileType.rawValue)"
    guard let byteCount = job.output?.byteCount, FileStamp(ofFile: file)?.byteCount == byteCount,
      makePublic(file)
    else { return false }
    try output.take(file)
    return true
  }

  /// Gives a file the permissions of the files that this command creates, because the coordinator's files are private.
  private func makePublic(_ file: String) -> Bool {
    let sample = path("sample")
    let descriptor = open(sample, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer {
      close(descriptor)
      unlink(sample)
    }
    var status = stat()
    return fstat(descriptor, &status) == 0 && chmod(file, status.st_mode & 0o7777) == 0
  }

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

  /// Kills the programs, because nothing that they have is needed any more. Their own children are in their process
  /// groups or die with them. Finishes even if the task is cancelled.
  private func end() async {
    for program in [worker, manager] { program.destroy() }
    for program in [worker, manager] { await program.waitUntilEnded() }
  }
}
