import Foundation
import HTTP
import SQLite

@main struct Program {
  static let usage = """
    usage: sheaf-coordinator serve --data DIR …
           sheaf-coordinator media probe|mix|assemble …

    `serve` runs a coordinator. `media` is what it runs as child processes.

    example: sheaf-coordinator serve --data /var/lib/sheaf
    """

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve" where arguments.contains("--help") || arguments.contains("-h"):
      print(ServeConfiguration.usage)
    case "serve": await serve(Array(arguments.dropFirst()))
    case "media": exit(MediaCommand.run(Array(arguments.dropFirst())))
    case "--help", "-h", "help": print(usage)
    default:
      complain(
        arguments.first.map { "'\($0)' is not a subcommand: write serve or media" }
          ?? "no subcommand: write serve --data DIR, or --help")
      exit(2)
    }
  }

  private static func serve(_ arguments: [String]) async {
    StopSignal.prepare()
    do {
      try await ServeCommand(configuration: ServeConfiguration(arguments)).run()
    } catch let error as UsageError {
      complain(error.message)
      exit(2)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data("sheaf-coordinator: \(message)\n".utf8))
  }
}
