import Dispatch
import FarmAPI
import Foundation
import MediaServices
import Processes
import Synchronization

@main struct Program {
  static let usage = """
    usage: sheaf-coordinator serve --data DIR …
           sheaf-coordinator token create|list|revoke --data DIR …
           sheaf-coordinator forget --data DIR …
           sheaf-coordinator check|backup|restore --data DIR …
           sheaf-coordinator media read|probe|check|typeset|plan|freeze|mix|assemble

    `serve` runs a coordinator, and `token` manages who may use it. `forget` drops the chunks of workers that
    are no longer trusted. `check`, `backup` and `restore` maintain the data directory. `serve` starts `media`
    as its child processes.

    example: sheaf-coordinator serve --data /var/lib/sheaf
    """

  static func main() {
    CoreDumps.prevent()
    // Only this user may read files that the coordinator and its children create (``PrivateFiles``).
    umask(0o077)
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve" where arguments.contains("--help") || arguments.contains("-h"):
      print(ServeConfiguration.usage)
    case "serve":
      let code = serve(Array(arguments.dropFirst()))
      // Skips exit handlers: the one in libcrypto frees data that threads may still use for hashing.
      fflush(nil)
      _exit(code)
    case "token": exit(TokenCommand.run(Array(arguments.dropFirst())))
    case "forget": exit(attempt { try ForgetCommand.run(arguments.dropFirst()) })
    case "check", "backup", "restore":
      exit(attempt { try MaintenanceCommand.run(arguments[0], arguments.dropFirst()) })
    case "media": exit(MediaCommand(of: "sheaf-coordinator").run(Array(arguments.dropFirst())))
    case "--help", "-h", "help": print(usage)
    default:
      complain(
        arguments.first.map {
          "'\($0)' is not a subcommand: write serve, token, forget, check, backup, restore or media"
        }
          ?? "a subcommand is missing: write serve --data DIR, or --help")
      exit(2)
    }
  }

  /// Serves until a stop signal arrives, and returns the exit code.
  private static func serve(_ arguments: [String]) -> Int32 {
    // Threads inherit the signal mask, so it must be set before any other thread starts.
    StopSignal.prepare()
    let code = Mutex<Int32>(0)
    let ended = DispatchSemaphore(value: 0)
    Task {
      do {
        try await ServeCommand(configuration: ServeConfiguration(arguments)).run()
      } catch {
        complain("\(error)")
        code.withLock { $0 = error is UsageError ? 2 : 1 }
      }
      ended.signal()
    }
    // The first thread must stay: /proc/self/exe, from which children are started, disappears with it.
    ended.wait()
    return code.withLock { $0 }
  }

  /// Runs a maintenance command, and returns its exit code, or 2 if it throws.
  private static func attempt(_ command: () throws -> Int32) -> Int32 {
    do {
      return try command()
    } catch {
      complain("\(error)")
      return 2
    }
  }

  private static func complain(_ message: String) {
    let lines = PrintableText.lines(of: message).map(\.description)
    StandardStream.error.write("sheaf-coordinator: \(lines.joined(separator: "\n"))\n")
  }
}
