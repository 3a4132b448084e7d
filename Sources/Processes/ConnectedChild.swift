import Foundation

/// A child process whose standard input is a ``MessageChannel`` to this process. It is killed with this object.
public final class ConnectedChild: Sendable {
  /// The process.
  public let process: ChildProcess
  /// This process's end of the channel.
  public let channel: MessageChannel
  /// Its standard error.
  public let words: LastWords

  /// Starts a child. Its standard output is thrown away.
  ///
  /// - Parameters:
  ///   - arguments: the argument vector, which starts with the child's name.
  ///   - subject: the name of the child in errors.
  ///   - largest: the maximum size of a message that it may send, in bytes.
  ///   - niceness: how much lower its priority is than this process's.
  ///   - start: starts the process. The child may be killed when the thread on which that happens ends.
  public init(
    _ executable: String, _ arguments: [String], subject: String, largest: Int,
    niceness: Int32 = ConnectedChild.niceness,
    start: (Spawn) throws(ProcessError) -> ChildProcess = { spawn throws(ProcessError) in
      try spawn.start()
    }
  ) throws(ProcessError) {
    let (ours, theirs) = try Descriptors.socketPair()
    defer { close(theirs) }
    channel = MessageChannel(taking: ours, largest: largest)
    let words = try LastWords()
    self.words = words
    process = try words.lend { errors throws(ProcessError) in
      var spawn = Spawn(
        executable, arguments, descriptors: [.copy(theirs), .null, .copy(errors)],
        environment: ChildEnvironment.confined(), subject: subject)
      spawn.niceness = niceness
      return try start(spawn)
    }
  }

  /// Children compute, and their parents answer calls and send heartbeats, which must not wait for them.
  public static let niceness: Int32 = 5

  deinit {
    process.send(SIGKILL)
    process.wait()
  }
}
