import Foundation

extension Configuration {
  /// What the arguments ask for.
  package enum Request: Hashable, Sendable {
    /// To print ``Configuration/help``.
    case help
    /// To work.
    case run(Configuration)
  }

  /// The text of `--help`.
  package static let help = """
    Renders segments for a coordinator until it is told to stop.

    usage: sheaf-worker --coordinator URL [options]

    options:
      --coordinator URL    The coordinator to work for
      --slots N            How many segments to render at a time (default: the number of CPUs)
      --name NAME          The name that the farm shows (default: the host's name)
      --cache DIR          Where cached asset ranges and unfinished chunks lie (default: $TMPDIR or
                           /var/tmp); nothing in it outlives the worker
      --cache-size BYTES   How much of the assets to keep (default: 1073741824)
      --media-root DIR     Read files under DIR where they are, if the job refers to them there; may be
                           repeated, and names the same files as the coordinator's --media-root
      --exit-with-parent   End when standard input ends
      -h, --help           Print this help

    SIGTERM and SIGINT give the leases back and end the worker.

    example:
      sheaf-worker --coordinator http://farm.example:7420 --slots 4
          Work for the coordinator on farm.example, four segments at a time
    """

  /// Reads the arguments after the program's name; `environment` gives `TMPDIR`.
  package static func request(
    _ arguments: some Sequence<String>, environment: [String: String], hostName: String
  ) throws(ConfigurationError) -> Request {
    let valued: Set = [
      "--coordinator", "--slots", "--name", "--cache", "--cache-size", "--media-root",
    ]
    var values: [String: String] = [:]
    var mediaRoots: [String] = []
    var exitsWithParent = false
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = String(parts[0])
      switch option {
      case "-h", "--help": return .help
      case "--exit-with-parent": exitsWithParent = true
      case _ where valued.contains(option):
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw unreadable("the option needs a value", option)
        }
        values[option] = value
        if option == "--media-root" { mediaRoots.append(value) }
      default: throw unreadable("unknown argument", argument)
      }
    }
    guard let coordinator = values["--coordinator"] else {
      throw unreadable("missing option", "--coordinator URL")
    }
    return .run(
      try Configuration(
        coordinator: coordinator,
        slots: try number(values["--slots"], of: "--slots")
          ?? ProcessInfo.processInfo.activeProcessorCount,
        name: values["--name"] ?? hostName,
        cacheDirectory: values["--cache"] ?? environment["TMPDIR"] ?? "/var/tmp",
        cacheByteLimit: try number(values["--cache-size"], of: "--cache-size") ?? defaultCache,
        mediaRoots: mediaRoots, exitsWithParent: exitsWithParent))
  }

  private static func number<Number: FixedWidthInteger>(
    _ text: String?, of option: String
  ) throws(ConfigurationError) -> Number? {
    guard let text else { return nil }
    guard let number = Number(text) else {
      throw unreadable("\(option) must be a whole number", "\"\(text)\"")
    }
    return number
  }

  private static func unreadable(_ problem: String, _ subject: String) -> ConfigurationError {
    ConfigurationError(problem: problem, subject: subject, remedy: "see `sheaf-worker --help`")
  }
}
