import Arguments
import Dispatch
import FarmAPI
import Foundation
import Processes
import Synchronization

@main struct Program {
  static func main() {
    CoreDumps.prevent()
    // Only this user may read files that the coordinator and its children create (``PrivateFiles``).
    umask(0o077)
    do {
      switch try CoordinatorCommands.program.request(Array(CommandLine.arguments.dropFirst())) {
      case .print(let text): print(text)
      case .run(let parsed): exit(run(parsed))
      }
    } catch {
      complain("\(error)")
      exit(UsageError.exitCode)
    }
  }

  /// Runs a command, and returns the exit code.
  private static func run(_ arguments: ParsedArguments) -> Int32 {
    switch arguments.syntax.name {
    case "serve":
      let code = serve(arguments)
      // Skips exit handlers: the one in libcrypto frees data that threads may still use for hashing.
      fflush(nil)
      _exit(code)
    case "forget":
      return attempt(failure: 2) {
        try ForgetCommand.run(arguments)
        return 0
      }
    case "health": return wait { try await HealthCommand.run(arguments) }
    case "check", "backup", "restore":
      return attempt(failure: 2) { try MaintenanceCommand.run(arguments) }
    case "migrate", "move-ledger":
      return attempt(failure: 2) {
        try LedgerCommand.run(arguments)
        return 0
      }
    case "move-files":
      return attempt(failure: 2) {
        try FilesCommand.run(arguments)
        return 0
      }
    default:
      return attempt(failure: 1) {
        try TokenCommand.run(arguments)
        return 0
      }
    }
  }

  /// Serves until a stop signal arrives, and returns the exit code.
  private static func serve(_ arguments: ParsedArguments) -> Int32 {
    // Threads inherit the signal mask, so it must be set before any other thread starts.
    StopSignal.prepare()
    return wait { try await ServeCommand(configuration: ServeConfiguration(arguments)).run() }
  }

  /// Waits until a command ends, and returns its exit code.
  private static func wait(for command: @escaping @Sendable () async throws -> Void) -> Int32 {
    let code = Mutex<Int32>(0)
    let ended = DispatchSemaphore(value: 0)
    Task {
      do {
        try await command()
      } catch {
        complain("\(error)")
        code.withLock { $0 = error is UsageError ? UsageError.exitCode : 1 }
      }
      ended.signal()
    }
    // The first thread must stay: /proc/self/fd becomes unreadable when it ends.
    ended.wait()
    return code.withLock { $0 }
  }

  /// Runs a command, and returns its exit code, or `failure` if it throws.
  private static func attempt(failure: Int32, _ command: () throws -> Int32) -> Int32 {
    do {
      return try command()
    } catch {
      complain("\(error)")
      return error is UsageError ? UsageError.exitCode : failure
    }
  }

  private static func complain(_ message: String) {
    let lines = PrintableText.lines(of: message).map(\.description)
    StandardStream.error.write("sheaf-coordinator: \(lines.joined(separator: "\n"))\n")
  }
}
