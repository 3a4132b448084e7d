import Foundation

/// A child process whose standard input is a ``MessageChannel`` to this process. It is killed with this object.
public final class ConnectedChild: Sendable {
  /// The child, which is killed and awaited when this object is released.
  public let process: ChildProcess
  /// This process's end of the channel.
  public let channel: MessageChannel
  /// The end of what the child writes to its standard error, to explain its death.
  public let words: LastWords

  /// The path of this process's program, as long as its first thread runs.
  public static let thisProgram = "/proc/self/exe"

  /// Starts a child. Its standard output is thrown away.
  ///
  /// - Parameters:
  ///   - executable: the program. If it has a ``ForkServer``, the child is a copy of that.
  ///   - arguments: the argument vector, which starts with the child's name.
  ///   - subject: the name of the child in errors.
  ///   - largest: the maximum size of a message that it may send, in bytes.
  ///   - niceness: how much lower its priority is than this process's.
  public init(
    _ executable: String, _ arguments: [String], subject: String, largest: Int,
    niceness: Int32 = ConnectedChild.niceness
  ) throws(ProcessError) {
    var connection = try Connection(largest: largest)
    let copy = try connection.hand { input, errors in
      ForkServer.startChild(of: executable, arguments, input: input, errors: errors)
    }
    if let copy {
      process = copy
    } else {
      connection = try Connection(largest: largest)
      process = try connection.hand { input, errors throws(ProcessError) in
        try ProcessStarter.shared.start(
          Spawn(
            executable, arguments, descriptors: [.copy(input), .null, .copy(errors)],
            environment: ChildEnvironment.confined(), subject: subject))
      }
    }
    (channel, words) = (connection.channel, connection.words)
    process.giveWay(by: niceness)
  }

  /// The channel and the standard error of a child that is about to start.
  private struct Connection {
    let channel: MessageChannel
    let words: LastWords
    private let childsEnd: Int32

    init(largest: Int) throws(ProcessError) {
      let (ours, theirs) = try Descriptors.socketPair()
      channel = MessageChannel(taking: ours, largest: largest)
      childsEnd = theirs
      do throws(ProcessError) {
        words = try LastWords()
      } catch {
        close(theirs)
        throw error
      }
    }

    /// Starts a child with its ends, and closes this process's copies. Call it once.
    func hand<Child>(
      to start: (_ input: Int32, _ errors: Int32) throws(ProcessError) -> Child
    ) throws(ProcessError) -> Child {
      defer { close(childsEnd) }
      return try words.lend { errors throws(ProcessError) in try start(childsEnd, errors) }
    }
  }

  /// Children compute, and their parents answer calls and send heartbeats, which must not wait for them.
  public static let niceness: Int32 = 5

  deinit {
    process.send(SIGKILL)
    process.wait()
  }
}
