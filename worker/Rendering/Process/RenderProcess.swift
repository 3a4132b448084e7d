import FarmAPI
import Foundation
import Planning
import Processes
import Rendering
import Synchronization

/// A process that renders segments one after the other. It has no network, and only the files that are passed to it.
///
/// The process ends with this object, and with the worker. Except for ``kill()``, use it on one thread at a time.
final class RenderProcess: Sendable {
  /// The process's total processor time, in seconds. The process is replaced when half of it is used.
  static let processorTime: UInt = 24 * 3600

  /// The time that a process may take to exit after it has closed its socket.
  private static let leave = Duration.seconds(5)

  /// The maximum size of a message that it may send, in bytes: a chunk's concealments are the longest.
  private static let largestMessage = ConcealmentList.byteLimit + (1 << 20)

  /// The limit of its address space, in bytes.
  let memory: UInt

  private let child: ConnectedChild
  private let isKilled = Atomic(false)
  /// Locked when a render ends, so that a later stop of it cannot kill the process.
  private let renderEnd = Mutex(())

  /// Starts `sheaf-worker render`.
  ///
  /// - Parameter memory: the limit of its address space, in bytes.
  /// - Throws: `ProcessError`.
  init(executable: String = ConnectedChild.thisProgram, memory: UInt) throws(ProcessError) {
    self.memory = memory
    child = try ConnectedChild(
      executable, ["sheaf-worker", "render", "--memory", "\(memory)"],
      subject: "a render process", largest: Self.largestMessage)
  }

  /// Kills the process. A render in progress throws ``RenderProcessDeath``. Can be called on any thread.
  func kill() {
    isKilled.store(true, ordering: .relaxed)
    child.process.send(SIGKILL)
    child.channel.hangUp()
  }

  /// Whether the process is running and has processor time left for another segment.
  var isFresh: Bool {
    // A process that was killed may still take a while to end.
    guard !isKilled.load(ordering: .relaxed), !child.process.hasEnded,
      let used = ProcessorTime.used(by: child.process.id)
    else {
      return false
    }
    return used < Int(Self.processorTime / 2)
  }

  /// Renders into the file of a descriptor, and serves the process's reads.
  ///
  /// - Throws: ``RenderFailure`` if the process reports one; ``RenderProcessDeath`` if it ends without an answer.
  func render(
    _ lease: Lease, into file: Int32, progress: RenderProgress, assets: ServedAssets
  ) throws -> FinishedRender {
    let order = try FarmCoding.encode(RenderOrder(lease: lease))
    let stopping = Task { [weak self] in
      await progress.untilStopped()
      self?.killUnlessCancelled()
    }
    defer { renderEnd.withLock { _ in stopping.cancel() } }
    let channel = child.channel
    channel.send(RenderMessage(kind: .render, bytes: [UInt8](order), descriptor: file))
    var isUnruly = false
    while let message = channel.receiveRenderMessage(hearing: child.words) {
      if message.descriptor >= 0 { close(message.descriptor) }
      switch message.kind {
      case .open: channel.send(assets.open(message.bytes))
      case .differs: channel.send(assets.replace(message.bytes))
      case .read: channel.send(assets.read(message.bytes))
      case .progress:
        progress.framesRendered =
          Message.numbers(1, in: message.bytes).map { Int(UInt32(clamping: $0[0])) } ?? 0
      case .finished: return try FarmCoding.decode(FinishedRender.self, from: Data(message.bytes))
      case .failed:
        throw RenderFailure(
          report: try FarmCoding.decode(FailureReport.self, from: Data(message.bytes)))
      case .render, .file, .served, .bytes, .refused:
        isUnruly = true
        kill()
      }
    }
    isUnruly = isUnruly || !child.process.ends(within: Self.leave)
    kill()
    let ending = child.process.wait()
    let how = isUnruly ? "sent an invalid message, and was killed" : ending.explanation
    let last = child.words.lastLine.map { " (\($0))" } ?? ""
    throw RenderProcessDeath(
      message: "\(Self.subject(of: lease)): the render process \(how)\(last)",
      isFromOutside: !isUnruly && ending.isFromOutside)
  }

  /// Kills the process, unless the render whose task this is has ended.
  private func killUnlessCancelled() {
    renderEnd.withLock { _ in
      guard !Task.isCancelled else { return }
      kill()
    }
  }

  /// A description of a segment and its assets, for messages.
  private static func subject(of lease: Lease) -> String {
    let names = Set(lease.description.sources.map(\.name)).sorted()
    return names.isEmpty ? "a segment without assets" : names.joined(separator: ", ")
  }
}

/// A failure that a render process reports.
struct RenderFailure: Error, Sendable, CustomStringConvertible {
  var report: FailureReport

  var description: String { report.message }
}

/// A render process that ended without an answer.
struct RenderProcessDeath: Error, Hashable, Sendable, CustomStringConvertible {
  /// The segment that it was rendering, and how it ended.
  var message: String
  /// Whether something outside the process killed it, rather than a fault or limit of its own.
  var isFromOutside: Bool

  var description: String { message }
}
