import Arguments
import Dispatch
import Foundation
import MediaServices
import Processes

/// `sheaf`: the command line.
@main struct Program {
  static func main() {
    CoreDumps.prevent()
    BlockedSignals.unblock()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // The process must enter its sandbox before it starts other threads.
    if arguments.first == "media" {
      exit(MediaCommand(of: "sheaf").run(Array(arguments.dropFirst())))
    }
    // A reader that goes away is an error to handle, not a reason to die with children running.
    signal(SIGPIPE, SIG_IGN)
    start(arguments)
    // Keeps the first thread alive: /proc/self/exe, which children are started from, becomes unreadable when it ends.
    DispatchSemaphore(value: 0).wait()
  }

  /// Runs the program outside the first thread.
  private nonisolated static func start(_ arguments: [String]) {
    Task { await run(arguments) }
  }

  private nonisolated static func run(_ arguments: [String]) async -> Never {
    let console = Console.standard
    do {
      try await run(arguments, on: console)
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

  private static func run(_ arguments: [String], on console: Console) async throws {
    switch try CommandList.program.request(arguments) {
    case .print(let text): try console.print(lines: text)
    case .run(let parsed): try await CommandList.command(parsed)?.run(on: console)
    }
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
