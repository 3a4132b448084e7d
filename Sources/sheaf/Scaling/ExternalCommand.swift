import Foundation
import Processes
import Threads

/// A program that is not Sheaf's.
enum ExternalCommand {
  /// The time after which a program that does not end is killed.
  private static let patience: Duration = .seconds(120)

  /// Runs a program from the search path, and returns its standard output. Its standard error is this process's. A
  /// cancellation does not wait for it.
  ///
  /// - Throws: ``CommandFailure``, or `CancellationError`.
  static func output(_ words: [String], environment: [String: String]) async throws -> String {
    try await BlockingThread.runUntilCancelled(named: words[0]) {
      do {
        return try run(words, environment)
      } catch let error as ProcessError {
        throw failure(of: words[0], error.description)
      }
    }
  }

  private static func run(_ words: [String], _ environment: [String: String]) throws -> String {
    let pipe = try Descriptors.pipe()
    let reading = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
    let child: ChildProcess
    do {
      defer { close(pipe.writing) }
      child = try ProcessStarter.shared.start(
        Spawn(
          "/usr/bin/env", ["env"] + words, descriptors: [.null, .copy(pipe.writing), .copy(2)],
          environment: environment, subject: words[0]))
    }
    let isOver = DispatchSemaphore(value: 0)
    BlockingThread.start(named: "patience") {
      let seconds = Double(patience.components.seconds)
      if isOver.wait(timeout: .now() + seconds) == .timedOut { child.killGroup() }
    }
    let text = String(decoding: reading.readDataToEndOfFile(), as: UTF8.self)
    let ending = child.wait()
    isOver.signal()
    guard ending == .exited(0) else { throw failure(of: words[0], "\(ending)") }
    return text
  }

  private static func failure(of program: String, _ problem: String) -> CommandFailure {
    CommandFailure(
      .failed, "\(program) failed", on: problem,
      remedy: "see its messages, and make sure that it is in PATH")
  }
}
