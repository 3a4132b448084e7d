import Arguments
import Dispatch
import Foundation
import Preparation
import Processes

/// `sheaf`: the command line.
@main struct Program {
  static func main() {
    CoreDumps.prevent()
    BlockedSignals.unblock()
    let request = Result<ProgramRequest, any Error> {
      try CommandList.program.request(Array(CommandLine.arguments.dropFirst()))
    }
    // A reader that goes away is an error to handle, not a reason to die with children running.
    signal(SIGPIPE, SIG_IGN)
    start(request)
    // Keeps the first thread alive: /proc/self/fd becomes unreadable when it ends.
    DispatchSemaphore(value: 0).wait()
  }

  /// Runs the program outside the first thread.
  private nonisolated static func start(_ request: Result<ProgramRequest, any Error>) {
    Task { await run(request) }
  }

  private nonisolated static func run(
    _ request: Result<ProgramRequest, any Error>
  ) async -> Never {
    let console = Console.standard
    do {
      switch try request.get() {
      case .print(let text): try console.print(lines: text)
      case .run(let parsed):
        // If it is missing, only commands that open media fail.
        try? MediaChildren.openProgram()
        try await CommandList.command(parsed)?.run(on: console)
      }
    } catch {
      let failure = failure(of: error)
      console.report(failure)
      end(failure.exitCode)
    }
    end(.success)
  }

  /// Exits without running exit handlers, because those of libraries free data that other threads may still use.
  private nonisolated static func end(_ code: ExitCode) -> Never {
    Screen.standard.clear()
    fflush(nil)
    _exit(code.rawValue)
  }

  private static func failure(of error: any Error) -> CommandFailure {
    switch error {
    case let error as CommandFailure: error
    case let error as UsageError:
      CommandFailure(.usage, error.problem, on: error.subject, remedy: error.remedy)
    case is CancellationError: .interrupted
    default: CommandFailure(.failed, lines: ["\(error)"])
    }
  }
}
