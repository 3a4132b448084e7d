import Foundation
import Processes
import Threads

/// A Sheaf program that this process runs in its own process group. It exits when this process ends, because that
/// closes the pipe to its standard input.
final class FarmProgram: Sendable {
  private let process: ChildProcess
  private let input: FileHandle
  /// The file that receives the program's standard error.
  private let log: String
  private let exit: Task<ProcessEnding, any Error>

  /// The number of the first descriptor that is passed on.
  static let firstPassed = 3

  /// Starts a program in this program's directory.
  ///
  /// - Parameter passed: the descriptors that the program inherits, numbered from ``firstPassed``.
  /// - Throws: ``CommandFailure``.
  init(
    _ program: String, _ arguments: [String], log: String, passing passed: [Int32]
  ) throws(CommandFailure) {
    let path = try Self.path(of: program)
    do throws(ProcessError) {
      let (itsInput, ourInput) = try Descriptors.pipe()
      defer { close(itsInput) }
      input = FileHandle(fileDescriptor: ourInput, closeOnDealloc: true)
      // It gets only some environment variables: SHEAF_COORDINATOR and SHEAF_TOKEN, for example, belong to another farm.
      process = try Spawn(
        path, [path] + arguments,
        descriptors: [.copy(itsInput), .null, .appending(log)] + passed.map { .copy($0) },
        subject: path
      ).start()
    } catch {
      throw CommandFailure(.failed, lines: [error.message])
    }
    self.log = log
    let process = process
    exit = Task {
      try await BlockingThread.runUntilCancelled(named: "child") { process.wait() }
    }
  }

  func waitUntilEnded() async { _ = try? await exit.value }

  /// Kills the program and everything that it has started.
  func destroy() { process.killGroup() }

  /// The last lines of the program's standard error, for a message.
  var lastWords: String {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(3).joined(separator: "; ")
  }

  private static func path(of program: String) throws(CommandFailure) -> String {
    let path = SiblingProgram.path(of: program)
    guard access(path, X_OK) == 0 else {
      throw CommandFailure(
        .failed, "cannot find the program", on: path, remedy: "install it next to sheaf")
    }
    return path
  }
}
