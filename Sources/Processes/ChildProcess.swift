import Foundation
import Synchronization
import Threads

/// A child process that exchanges lines over its standard input and output.
///
/// The actor runs on its own thread, because the exchange blocks, and because the kernel kills the child when the
/// thread that started it ends.
public actor ChildProcess {
  private let executor: ThreadExecutor
  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private struct State {
    /// The process id, until the process has been waited for.
    var id: pid_t?
    /// Whether the process must be killed, or must not be started.
    var isKilled = false
  }

  /// Locked while the process is started or signalled, so that no kill is missed and the id is not reused.
  private let state = Mutex(State())
  private let executable: String
  private let arguments: [String]
  /// The limits on its answers.
  public nonisolated let patience: Patience
  private var lines: ChildLines?
  private var ending: ProcessEnding?

  /// Creates a child that starts at the first request.
  ///
  /// - Parameter arguments: the argument vector, which starts with the child's name.
  public init(_ executable: String, _ arguments: [String], patience: Patience) {
    self.executable = executable
    self.arguments = arguments
    self.patience = patience
    executor = ThreadExecutor(name: "child-\(arguments.last ?? "")")
  }

  deinit {
    state.withLock { state in
      guard let pid = state.id else { return }
      state.id = nil
      _ = Foundation.kill(pid, SIGKILL)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Kills the child, or prevents its start. A pending request then sees the end of the stream.
  public nonisolated func kill() {
    state.withLock { state in
      state.isKilled = true
      if let pid = state.id { _ = Foundation.kill(pid, SIGKILL) }
    }
  }

  /// Sends a line and waits for the answering line.
  ///
  /// - Parameters:
  ///   - files: the files that the child must read for the answer.
  ///   - computing: an upper bound on the computing time on an idle host.
  /// - Throws: ``ChildSilence`` if there is no answer, in which case the child has ended, or `ProcessError`.
  public func ask(
    _ line: Data, reading files: [String], computing: Duration
  ) throws -> Data {
    let lines = try lines ?? start()
    let time = patience.time(reading: files, computing: computing)
    do throws(ChildLines.Silence) {
      return try lines.exchange(line, until: SuspendingClock.now + time)
    } catch {
      throw silence(after: error, of: time)
    }
  }

  /// Kills the child if it is still running, and describes how it ended.
  private func silence(after silence: ChildLines.Silence, of time: Duration) -> ChildSilence {
    let explanation: String?
    switch silence {
    case .end:
      explanation = ends(within: patience.leave) ? nil : "closed its output and did not exit"
    case .late:
      explanation = "did not answer within \(time.components.seconds) s"
    case .tooLong:
      explanation = "sent an answer of more than \(patience.answerSize) bytes"
    }
    if explanation != nil { kill() }
    let ending = wait()
    return ChildSilence(
      explanation: explanation.map { "\($0), and was killed" } ?? ending.explanation,
      cause: cause(of: silence, ending, isOurs: explanation != nil),
      lastWords: lines?.words.lastLine, ending: explanation == nil ? ending : nil)
  }

  /// The cause of a missing answer.
  ///
  /// - Parameter isOurs: whether this process killed the child.
  private func cause(
    of silence: ChildLines.Silence, _ ending: ProcessEnding, isOurs: Bool
  ) -> ChildSilence.Cause {
    if silence == .late { return .timeout }
    return !isOurs && ending.isFromOutside ? .outside : .child
  }

  /// Whether the child has ended and was waited for, which is the case after it failed to answer.
  public var hasEnded: Bool { ending != nil }

  /// Waits until the child has ended.
  public func wait() -> ProcessEnding {
    if let ending { return ending }
    lines?.finish()
    guard let pid = state.withLock({ $0.id }) else { return .exited(-1) }
    // The id is not reused until the child is waited for, and `kill` may need it until then.
    ProcessEnding.waitWithoutReaping(pid)
    let found = state.withLock { state in
      state.id = nil
      return ProcessEnding.reap(pid)
    }
    ending = found
    return found
  }

  /// Whether the child ends by itself within the given time.
  private func ends(within time: Duration) -> Bool {
    let deadline = SuspendingClock.now + time
    while let pid = state.withLock({ $0.id }) {
      if ProcessEnding.isDue(of: pid) { return true }
      guard SuspendingClock.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  private func start() throws -> ChildLines {
    let words = try LastWords()
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw ProcessError("cannot start a media process: no socket", errno)
    }
    let theirs = pair[1]
    defer { close(theirs) }
    let lines = ChildLines(
      taking: pair[0], longest: patience.answerSize, hearing: words)
    self.lines = lines
    try state.withLock { state in
      guard !state.isKilled else { return }
      state.id = try lines.words.lend { errors throws(ProcessError) in
        try Spawn.start(
          executable, arguments, input: theirs, output: theirs, errors: errors)
      }
    }
    return lines
  }
}

/// The error for a child that ended without an answer.
public struct ChildSilence: Error, Hashable, Sendable {
  /// How the child ended, as a phrase that follows its name.
  public var explanation: String
  /// The cause.
  public var cause: Cause
  /// The last line that it wrote to its standard error.
  public var lastWords: String?
  /// How it ended by itself; `nil` if it was killed here.
  public var ending: ProcessEnding?

  /// The cause of a missing answer.
  public enum Cause: Hashable, Sendable {
    /// The child: it crashed, exceeded a limit, or sent an invalid answer.
    case child
    /// Something outside the child ended it. Another attempt may succeed.
    case outside
    /// It exceeded its time, and was killed.
    case timeout
  }
}
