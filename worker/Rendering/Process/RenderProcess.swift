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

  private let socket: MessageSocket
  private let words: LastWords
  /// The process until it has been waited for. Locked while it is signalled, so that the id cannot belong to another.
  private let id: Mutex<pid_t?>

  /// Starts `sheaf-worker render`.
  ///
  /// - Parameter memory: the limit of its address space, in bytes.
  /// - Throws: `ProcessError`.
  init(executable: String = "/proc/self/exe", memory: UInt) throws(ProcessError) {
    self.memory = memory
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw ProcessError("cannot create a socket for a render process", errno)
    }
    let theirs = pair[1]
    defer { close(theirs) }
    socket = MessageSocket(taking: pair[0], largest: Self.largestMessage)
    words = try LastWords()
    let started = try words.lend { errors throws(ProcessError) in
      try ProcessStarter.shared.start(
        executable, ["sheaf-worker", "render", "--memory", "\(memory)"], socket: theirs,
        errors: errors)
    }
    id = Mutex(started)
  }

  deinit {
    kill()
    _ = wait()
  }

  /// Kills the process. A render in progress throws ``RenderProcessDeath``. Can be called on any thread.
  func kill() {
    id.withLock { id in
      if let id { _ = Foundation.kill(id, SIGKILL) }
    }
    socket.hangUp()
  }

  /// Whether the process is running and has processor time left for another segment.
  var isFresh: Bool {
    id.withLock { id in
      guard let id, !ProcessEnding.isDue(of: id), let used = ProcessorTime.used(by: id) else {
        return false
      }
      return used < Int(Self.processorTime / 2)
    }
  }

  /// Renders into the file of a descriptor, and serves the process's reads.
  ///
  /// - Throws: ``RenderFailure`` if the process reports one; ``RenderProcessDeath`` if it ends without an answer.
  func render(
    _ lease: Lease, into file: Int32, progress: RenderProgress, assets: ServedAssets
  ) throws -> FinishedRender {
    let order = try FarmCoding.encode(RenderOrder(lease: lease))
    progress.endRender(by: { [weak self] in self?.kill() })
    defer { progress.endRender(by: nil) }
    socket.send(RenderMessage(kind: .render, bytes: [UInt8](order), descriptor: file))
    var isUnruly = false
    while let message = socket.receive(hearing: words) {
      if message.descriptor >= 0 { close(message.descriptor) }
      switch message.kind {
      case .open: socket.send(assets.open(message.bytes))
      case .differs: socket.send(assets.replace(message.bytes))
      case .read: socket.send(assets.read(message.bytes))
      case .progress:
        progress.framesRendered = Int(
          message.bytes.reduce(0) { $0 << 8 | UInt32($1) })
      case .finished: return try FarmCoding.decode(FinishedRender.self, from: Data(message.bytes))
      case .failed:
        throw RenderFailure(
          report: try FarmCoding.decode(FailureReport.self, from: Data(message.bytes)))
      case .render, .file, .served, .bytes, .refused:
        isUnruly = true
        kill()
      }
    }
    isUnruly = isUnruly || !endsByItself()
    kill()
    let ending = wait()
    let how = isUnruly ? "sent an invalid message, and was killed" : ending.explanation
    let last = words.lastLine.map { " (\($0))" } ?? ""
    throw RenderProcessDeath(
      message: "\(Self.subject(of: lease)): the render process \(how)\(last)",
      isFromOutside: !isUnruly && ending.isFromOutside)
  }

  /// A description of a segment and its assets, for messages.
  private static func subject(of lease: Lease) -> String {
    let names = Set(lease.description.sources.map(\.name)).sorted()
    return names.isEmpty ? "a segment without assets" : names.joined(separator: ", ")
  }

  /// Waits for the process to exit. Returns whether it does so by itself in time.
  private func endsByItself() -> Bool {
    let deadline = SuspendingClock.now + Self.leave
    while let pid = id.withLock({ $0 }), !ProcessEnding.isDue(of: pid) {
      guard SuspendingClock.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  private func wait() -> ProcessEnding {
    id.withLock { id in
      guard let pid = id else { return .exited(-1) }
      id = nil
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 { guard errno == EINTR else { return .exited(-1) } }
      return ProcessEnding(waitStatus: status)
    }
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
