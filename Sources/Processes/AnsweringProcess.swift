import Foundation
import Synchronization
import Threads

/// A child process that answers requests.
///
/// The actor runs on its own thread, because an exchange blocks.
public actor AnsweringProcess {
  private let executor: ThreadExecutor
  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private struct State {
    var child: ConnectedChild?
    /// Whether the process must be killed, or must not be started.
    var isKilled = false
  }

  /// Locked while the process is started, so that no kill is missed.
  private let state = Mutex(State())
  private let executable: String
  private let arguments: [String]
  private let niceness: Int32
  /// The limits on its answers.
  public nonisolated let patience: Patience
  private var child: ConnectedChild?
  private var ending: ProcessEnding?
  private var hasAnswered = false
  /// The wait for the answers to the last request.
  private var lastWait: Wait?

  private struct Wait {
    let time: Duration
    let deadline: SuspendingClock.Instant

    init(_ time: Duration) {
      self.time = time
      deadline = .now + time
    }
  }

  /// Creates a child that starts at the first request.
  ///
  /// - Parameters:
  ///   - arguments: the argument vector: the child's name, the name of its service, and further arguments.
  ///   - niceness: how much lower its priority is than this process's.
  public init(
    _ executable: String, _ arguments: [String], patience: Patience,
    niceness: Int32 = ConnectedChild.niceness
  ) {
    self.niceness = niceness
    self.executable = executable
    self.arguments = arguments
    self.patience = patience
    executor = ThreadExecutor(name: "child-\(arguments.dropFirst().first ?? "")")
  }

  /// Kills the child, or prevents its start. A pending request then sees the end of the stream.
  public nonisolated func kill() {
    state.withLock { state in
      state.isKilled = true
      state.child?.process.send(SIGKILL)
      // Even if a process that the child started still has its socket, the request ends.
      state.child?.channel.hangUp()
    }
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Parameters:
  ///   - descriptor: a descriptor that the child gets a copy of; -1 for none.
  ///   - files: the files that the child must read for the answer.
  ///   - byteCount: the number of bytes of other files that it must read.
  ///   - computing: an upper bound on the computing time on an idle host.
  /// - Throws: ``ChildSilence`` if there is no answer, in which case the child has ended, or `ProcessError`.
  public func ask(
    _ request: [UInt8], passing descriptor: Int32 = -1, reading files: [String],
    and byteCount: Int64 = 0, computing: Duration
  ) throws -> [UInt8] {
    guard let child = try child ?? start() else { throw silenceWithoutStart() }
    let wait = Wait(patience.time(reading: files, and: byteCount, computing: computing))
    lastWait = wait
    guard
      child.channel.send(
        Message(bytes: request, descriptor: descriptor), hearing: child.words,
        until: wait.deadline)
    else { throw silence(of: child, after: .late, of: wait.time) }
    return try answer(of: child, within: wait)
  }

  /// Waits for another answer to the last request, whose time limit includes it.
  ///
  /// - Throws: ``ChildSilence`` if there is no answer, in which case the child has ended.
  public func next() throws -> [UInt8] {
    guard let child, let lastWait else { throw silenceWithoutStart() }
    return try answer(of: child, within: lastWait)
  }

  private func answer(of child: ConnectedChild, within wait: Wait) throws -> [UInt8] {
    do throws(MessageChannel.Silence) {
      let answer = try child.channel.receive(hearing: child.words, until: wait.deadline)
      guard answer.descriptor < 0 else {
        close(answer.descriptor)
        throw .invalid
      }
      hasAnswered = true
      return answer.bytes
    } catch {
      throw silence(of: child, after: error, of: wait.time)
    }
  }

  /// Kills the child if it is still running, and describes how it ended.
  private func silence(
    of child: ConnectedChild, after silence: MessageChannel.Silence, of time: Duration
  ) -> ChildSilence {
    let explanation: String?
    switch silence {
    case .end:
      explanation =
        child.process.ends(within: patience.leave) ? nil : "closed its output and did not exit"
    case .late: explanation = "did not answer within \(time.components.seconds) s"
    case .tooLong: explanation = "sent an answer of more than \(patience.answerSize) bytes"
    case .invalid: explanation = "sent an invalid answer"
    }
    if explanation != nil { kill() }
    let ending = wait()
    return ChildSilence(
      explanation: explanation.map { "\($0), and was killed" } ?? ending.explanation,
      cause: cause(of: silence, ending, isOurs: explanation != nil),
      hadAnswered: hasAnswered, lastWords: child.words.lastLine,
      ending: explanation == nil ? ending : nil)
  }

  /// The cause of a missing answer.
  ///
  /// - Parameter isOurs: whether this process killed the child.
  private func cause(
    of silence: MessageChannel.Silence, _ ending: ProcessEnding, isOurs: Bool
  ) -> ChildSilence.Cause {
    if silence == .late { return .timeout }
    return !isOurs && ending.isFromOutside ? .outside : .child
  }

  private func silenceWithoutStart() -> ChildSilence {
    let ending = ProcessEnding.exited(-1)
    self.ending = ending
    return ChildSilence(
      explanation: ending.explanation, cause: .child, hadAnswered: false, lastWords: nil,
      ending: ending)
  }

  /// Waits until the child has ended.
  @discardableResult public func wait() -> ProcessEnding {
    guard let child else { return .exited(-1) }
    child.channel.finish()
    let found = child.process.wait()
    ending = found
    return found
  }

  /// Starts the child; `nil` if it was killed before.
  private func start() throws(ProcessError) -> ConnectedChild? {
    let result = state.withLock { state -> Result<ConnectedChild?, ProcessError> in
      guard !state.isKilled else { return .success(nil) }
      return Result { () throws(ProcessError) in
        let started = try ConnectedChild(
          executable, arguments, subject: "a media process", largest: patience.answerSize,
          niceness: niceness)
        state.child = started
        return started
      }
    }
    child = try result.get()
    return child
  }
}
