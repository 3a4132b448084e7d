import Foundation
import Processes
import Synchronization

/// A terminal without a window, in which a test runs a program and sees what it shows.
public final class PseudoTerminal: Sendable {
  /// The system has no pseudo-terminal.
  public struct Failure: Error {
    let number: Int32
  }

  private let controller: Int32
  private let terminal: Int32
  private let received = Received()

  /// The bytes that have arrived, which the reading thread may keep for longer than the test does.
  private final class Received: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  /// TIOCSPTLCK and TIOCGPTPEER of linux/tty.h, which Swift does not import.
  private static let lock: UInt = 0x4004_5431
  private static let openPeer: UInt = 0x5441

  /// Creates a terminal.
  public init(columns: Int, rows: Int = 24) throws {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var isLocked: Int32 = 0
    guard controller >= 0, ioctl(controller, Self.lock, &isLocked) == 0 else {
      throw Failure(number: errno)
    }
    terminal = ioctl(controller, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw Failure(number: errno) }
    resize(columns: columns, rows: rows)
    Thread.detachNewThread { [controller, received] in Self.read(controller, into: received) }
  }

  /// Lets the reading thread end, once no program has the terminal either.
  deinit { close(terminal) }

  /// Changes the size. The program learns that from SIGWINCH, which the test sends.
  public func resize(columns: Int, rows: Int = 24) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
  }

  /// Starts a program in the terminal.
  ///
  /// - Parameters:
  ///   - environment: variables to set, beside a usual terminal's; an empty value removes a variable.
  ///   - redirected: standard output, if it is not the terminal.
  public func start(
    _ program: Program, _ arguments: [String], in folder: String? = nil,
    environment: [String: String] = [:], standardOutput redirected: Subprocess.Stream? = nil
  ) throws -> Subprocess {
    let process = program.process(arguments, in: folder)
    process.standardOutput = redirected ?? .descriptor(terminal)
    process.standardError = .descriptor(terminal)
    let usual = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": "", "NO_COLOR": ""]
    process.environment.merge(usual.merging(environment) { $1 }) { $1 }
    process.environment = process.environment.filter { !$0.value.isEmpty }
    try process.run()
    return process
  }

  /// Everything that programs wrote to the terminal so far.
  public var text: String { String(decoding: received.bytes.withLock { $0 }, as: UTF8.self) }

  /// The text that a program wrote, once it has ended.
  public func text(of process: Subprocess) throws -> (ending: ProcessEnding, text: String) {
    let ending = process.wait()
    // What the test writes itself arrives after everything that the program wrote.
    let mark = "\u{1}end\u{1}"
    _ = Array(mark.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    try blockUntil("the terminal has shown everything") { text.contains(mark) }
    return (ending, text.replacing(mark, with: ""))
  }

  private static func read(_ controller: Int32, into received: Received) {
    defer { close(controller) }
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Foundation.read(controller, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      received.bytes.withLock { $0 += buffer[..<count] }
    }
  }
}
