import Foundation
import Processes
import Synchronization

/// A child process of a test. It inherits only its three standard descriptors.
///
/// Foundation's `Process` is not used, because its children inherit the pipes and sockets of other children that start
/// at the same time: it creates them without closing them on `exec`.
///
/// `@unchecked` is sound because a test configures the process on one thread before it starts it, and `child` is locked.
public final class Subprocess: @unchecked Sendable {
  /// A standard descriptor of the process.
  public enum Stream {
    /// Empty, or thrown away.
    case null
    /// The test's own.
    case inherited
    /// A pipe from or to the test.
    case pipe(SubprocessPipe)
    /// A descriptor of the test, which stays open.
    case descriptor(Int32)
    /// An open file.
    case file(FileHandle)

    /// An existing file to write to from its beginning.
    public static func writing(_ path: String) throws -> Self {
      .file(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    }

    /// An existing file to read.
    public static func reading(_ path: String) throws -> Self {
      .file(try FileHandle(forReadingFrom: URL(fileURLWithPath: path)))
    }

    fileprivate func descriptor(_ number: Int32) -> Spawn.Descriptor {
      switch self {
      case .null: .null
      case .inherited: .copy(number)
      case .pipe(let pipe):
        .copy(number == 0 ? pipe.reading.fileDescriptor : pipe.writing.fileDescriptor)
      case .descriptor(let descriptor): .copy(descriptor)
      case .file(let file): .copy(file.fileDescriptor)
      }
    }
  }

  /// The program's path.
  public let path: String
  /// Its arguments, without its name.
  public let arguments: [String]
  /// Its working directory; `nil` for the test's.
  public var directory: String?
  /// Its environment variables.
  public var environment = ProcessInfo.processInfo.environment
  /// Its standard input.
  public var standardInput = Stream.inherited
  /// Its standard output.
  public var standardOutput = Stream.inherited
  /// Its standard error.
  public var standardError = Stream.inherited
  private let child = Mutex<ChildProcess?>(nil)

  /// Creates a process that has not started yet.
  public init(_ path: String, _ arguments: [String], in directory: String? = nil) {
    self.path = path
    self.arguments = arguments
    self.directory = directory
  }

  /// Starts the process, and closes the test's copies of its ends of pipes.
  public func run() throws {
    let streams = [standardInput, standardOutput, standardError]
    let spawn = Spawn(
      path, [path] + arguments,
      descriptors: streams.enumerated().map { $1.descriptor(Int32($0)) },
      environment: environment, directory: directory, subject: path)
    // The kernel kills some of Sheaf's processes when the thread that started them ends.
    let started = try ProcessStarter.shared.start(spawn)
    child.withLock { $0 = started }
    for (number, stream) in streams.enumerated() {
      guard case .pipe(let pipe) = stream else { continue }
      try? (number == 0 ? pipe.reading : pipe.writing).close()
    }
  }

  /// The process id; 0 before the process has started.
  public var id: pid_t { child.withLock { $0?.id ?? 0 } }

  /// Whether the process has started and not ended.
  public var isRunning: Bool {
    guard let child = child.withLock({ $0 }) else { return false }
    guard child.hasEnded else { return true }
    child.wait()
    return false
  }

  /// Sends a signal, unless the process has been waited for.
  public func send(_ signal: Int32) { child.withLock { $0 }?.send(signal) }

  /// Asks the process to end.
  public func terminate() { send(SIGTERM) }

  /// Kills the process, and waits until it has ended.
  public func destroy() {
    send(SIGKILL)
    wait()
  }

  /// Waits until the process has ended.
  @discardableResult public func wait() -> ProcessEnding {
    child.withLock { $0 }?.wait() ?? .exited(-1)
  }
}

/// A pipe between a test and its child, of which no other child inherits an end.
public final class SubprocessPipe: Sendable {
  /// The reading end.
  public let reading: FileHandle
  /// The writing end.
  public let writing: FileHandle

  /// Creates a pipe.
  public init() throws {
    let ends = try Descriptors.pipe()
    reading = FileHandle(fileDescriptor: ends.reading, closeOnDealloc: true)
    writing = FileHandle(fileDescriptor: ends.writing, closeOnDealloc: true)
  }
}
