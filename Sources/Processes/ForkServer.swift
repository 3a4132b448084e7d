import CLinux
import Foundation
import Synchronization

/// A copy of this process, or another program, that copies itself for each child to start.
///
/// Loading a program and its libraries takes about 60 ms of processor time, and copying a loaded process takes a few.
/// Only a process with a single thread can be copied, so the server is started before there are other threads. Its
/// copies are children of this process, not of the server, and cannot see each other's memory.
///
/// The server keeps only harmless environment variables, and has no secrets: it is another program, or a copy of this
/// process from before it read any. It opens no media.
public final class ForkServer: Sendable {
  /// The server of a program, until it fails.
  private enum State {
    /// The arguments to start it with, when the program's first child is requested.
    case prepared([String])
    case running(ForkServer)
  }

  /// The servers, by the program whose copies they start.
  private static let servers = Mutex<[String: State]>([:])

  private let process: ChildProcess
  /// Locked during an exchange with the server.
  private let channel: Mutex<MessageChannel>

  private init(_ process: ChildProcess, _ channel: MessageChannel) {
    self.process = process
    self.channel = Mutex(channel)
  }

  deinit {
    process.send(SIGKILL)
    process.wait()
  }

  /// The kinds of messages to the server. Each passes on a descriptor.
  private enum Kind {
    /// A standard error, for the child that the next message starts.
    static let errors: UInt8 = 1
    /// A standard input. The content is the child's arguments, each with a zero at the end.
    static let start: UInt8 = 2
  }

  /// The time that the server may take to start a child, even on a busy host.
  private static let patience = Duration.seconds(10)

  /// The maximum size of a message in bytes.
  private static let largest = 1 << 16

  /// Starts the server. Call it once, on the first thread, before there are others and before this one has locked a
  /// `Mutex`: a mutex stores the id of its thread, and copies would store the wrong one.
  ///
  /// If the server cannot be started, children are started as programs.
  ///
  /// - Parameters:
  ///   - arguments: the arguments that the server shows in lists of processes, its name first.
  ///   - run: what a child does, given its arguments. They start with its name. Returns its exit code.
  public static func start(as arguments: [String], _ run: ([String]) -> Int32) {
    guard let (ours, theirs) = try? Descriptors.socketPair() else { return }
    let parent = getpid()
    let id = sheaf_fork()
    if id == 0 { serve(theirs, for: parent, as: arguments, run) }
    close(theirs)
    let channel = MessageChannel(taking: ours, largest: largest)
    guard id > 0 else { return }
    let server = ForkServer(ChildProcess(id: id), channel)
    replace(.running(server), for: ConnectedChild.thisProgram)
  }

  /// Prepares a server that is a program of its own, so that this process may already have threads. It starts when the
  /// program's first child is requested.
  ///
  /// If it cannot be started, children are started as programs.
  ///
  /// - Parameters:
  ///   - executable: the program whose children ``ConnectedChild`` starts.
  ///   - arguments: the arguments with which it calls ``serve(_:)``, its name first.
  public static func prepare(_ executable: String, _ arguments: [String]) {
    replace(.prepared(arguments), for: executable)
  }

  /// Starts a prepared server.
  private static func start(_ executable: String, _ arguments: [String]) -> ForkServer? {
    guard let (ours, theirs) = try? Descriptors.socketPair() else { return nil }
    let channel = MessageChannel(taking: ours, largest: largest)
    let process = try? ProcessStarter.shared.start(
      Spawn(
        executable, arguments, descriptors: [.copy(theirs), .null, .null],
        environment: ChildEnvironment.confined(), subject: executable))
    close(theirs)
    return process.map { ForkServer($0, channel) }
  }

  /// The server of a program, which is started if it has only been prepared.
  private static func server(of executable: String) -> ForkServer? {
    servers.withLock { servers in
      switch servers[executable] {
      case nil: return nil
      case .running(let server): return server
      case .prepared(let arguments):
        // If it cannot be started now, the next child tries again.
        let server = start(executable, arguments)
        if let server { servers[executable] = .running(server) }
        return server
      }
    }
  }

  /// Stops using a server, unless another one has replaced it.
  private static func forget(_ server: ForkServer, of executable: String) {
    servers.withLock { servers in
      if case .running(let current) = servers[executable], current === server {
        servers[executable] = nil
      }
    }
  }

  /// Starts a program's later children with another server. The last reference to the old one, which ends it, is released
  /// after the lock.
  private static func replace(_ server: State?, for executable: String) {
    let old = servers.withLock { servers in
      defer { servers[executable] = server }
      return servers[executable]
    }
    withExtendedLifetime(old) {}
  }

  /// Runs as the server of the process that started this program with ``prepare(_:_:)``. Call it on the first thread,
  /// before there are others.
  ///
  /// - Parameter run: what a child does, given its arguments. They start with its name. Returns its exit code.
  public static func serve(_ run: ([String]) -> Int32) -> Never {
    serve(STDIN_FILENO, for: getppid(), as: CommandLine.arguments, run)
  }

  /// Starts a child; `nil` if there is no server, or it failed. It is not used again if it does not answer: a child may
  /// have started nevertheless, so that the descriptors must not be used for another.
  ///
  /// - Parameters:
  ///   - executable: the program of which the child is a copy.
  ///   - arguments: the arguments, which start with the child's name.
  ///   - input: the child's standard input.
  ///   - errors: its standard error. Its standard output is thrown away.
  static func startChild(
    of executable: String, _ arguments: [String], input: Int32, errors: Int32
  ) -> ChildProcess? {
    guard let server = server(of: executable) else { return nil }
    sheaf_learn_endings()
    let deadline = SuspendingClock.now + patience
    let answer = server.channel.withLock { channel -> Message? in
      let messages = [
        Message(kind: Kind.errors, bytes: [], descriptor: errors),
        Message(kind: Kind.start, bytes: terminated(arguments), descriptor: input),
      ]
      guard messages.allSatisfy({ channel.send($0, until: deadline) }) else { return nil }
      return try? channel.receive(until: deadline)
    }
    guard let answer, let id = Message.numbers(1, in: answer.bytes)?.first else {
      forget(server, of: executable)
      return nil
    }
    return id > 0 ? ChildProcess(id: pid_t(id)) : nil
  }

  private static func terminated(_ arguments: [String]) -> [UInt8] {
    arguments.flatMap { Array($0.utf8) + [0] }
  }

  // MARK: - The server

  private static func serve(
    _ descriptor: Int32, for parent: pid_t, as arguments: [String], _ run: ([String]) -> Int32
  ) -> Never {
    endWith(parent)
    show(arguments)
    // Ctrl-C at the terminal, and the end of the terminal, are for the parent.
    setpgid(0, 0)
    ChildEnvironment.forgetOthers()
    let channel = MessageChannel(taking: keepOnly(descriptor), largest: largest)
    var errors: Int32 = -1
    while let message = try? channel.receive() {
      guard message.kind == Kind.start else {
        errors = message.descriptor
        continue
      }
      let id = sheaf_fork_sibling()
      if id == 0 {
        begin(input: message.descriptor, errors: errors, of: parent)
        show(message.bytes)
        let arguments = message.bytes.split(separator: 0, omittingEmptySubsequences: false)
        let code = run(arguments.dropLast().map { String(decoding: $0, as: UTF8.self) })
        // The copy of the channel is not closed, because its descriptor may be another file's by now.
        withExtendedLifetime(channel) { exit(code) }
      }
      for each in [message.descriptor, errors] where each >= 0 { close(each) }
      errors = -1
      channel.send(Message(bytes: Message.bytes(of: [Int64(id)])))
    }
    _exit(0)
  }

  /// Makes the kernel kill this process when its parent ends.
  private static func endWith(_ parent: pid_t) {
    _ = sheaf_die_with_parent()
    // The parent may have ended before that call.
    if getppid() != parent { _exit(1) }
  }

  /// Closes all files but one, whose number becomes 3, and opens empty standard streams.
  private static func keepOnly(_ descriptor: Int32) -> Int32 {
    // This process may have been started without standard streams, whose numbers the two would then have.
    let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 4)
    let nothing = open("/dev/null", O_RDWR)
    guard kept >= 0, nothing >= 0 else { _exit(1) }
    for number in 0...2 as ClosedRange<Int32> where nothing != number { dup2(nothing, number) }
    guard dup2(kept, 3) == 3, sheaf_close_from(4) == 0 else { _exit(1) }
    return 3
  }

  /// Gives a copy of the server the files and signals of a new program.
  private static func begin(input: Int32, errors: Int32, of parent: pid_t) {
    endWith(parent)
    guard dup2(input, 0) == 0, dup2(errors, 2) == 2, sheaf_close_from(3) == 0 else { _exit(1) }
    setpgid(0, 0)
    for number in 1..<65 as Range<Int32> { signal(number, SIG_DFL) }
    BlockedSignals.unblock()
  }

  private static func show(_ arguments: [String]) { show(terminated(arguments)) }

  private static func show(_ arguments: [UInt8]) {
    arguments.withUnsafeBytes { bytes in
      let shown = bytes.assumingMemoryBound(to: CChar.self)
      guard let start = shown.baseAddress else { return }
      sheaf_show_arguments(CommandLine.unsafeArgv, start, shown.count)
    }
  }
}
