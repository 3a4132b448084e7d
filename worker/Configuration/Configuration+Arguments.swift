import Foundation
import HTTP

extension Configuration {
  /// The request that the arguments make.
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
      --token-file FILE    The file that has the worker's token (default: $SHEAF_TOKEN)
                           The file is read again if the coordinator refuses the token
      --token-patience SECONDS
                           How long the coordinator may refuse the token before the worker ends
                           (default: 900)
      --ca-file FILE       The authority that vouches for the coordinator's certificate
                           (default: $SHEAF_CA_FILE, else the system's)
      --client-certificate FILE, --client-key FILE
                           The certificate to show where the coordinator asks for one
      --slots N            How many segments to render at a time (default: the number of CPUs)
      --name NAME          The name that the farm shows (default: the host's name)
      --cache DIR          Where cached asset ranges and unfinished chunks lie (default: $TMPDIR or
                           /var/tmp); nothing in it outlives the worker
      --cache-size BYTES   How much of the assets to keep (default: 1073741824)
      --slot-memory BYTES  Address space that the process of each slot may have (default: 8589934592)
      --media-root DIR     Read files under DIR where they are, if the job refers to them there; may be
                           repeated, and names the same files as the coordinator's --media-root
      --exit-with-parent   End when standard input ends
      -h, --help           Print this help

    SIGTERM and SIGINT give the leases back and end the worker. A coordinator that does not answer, or
    anything else that answers in its place, does not.

    exit codes: 0 told to stop, 1 the cache cannot be used, 2 invalid option,
                3 the coordinator refused the token for --token-patience

    example:
      sheaf-worker --coordinator http://farm.example:7420 --slots 4
          Work for the coordinator on farm.example, four segments at a time
    """

  /// Reads the arguments after the program's name; `environment` gives `TMPDIR`,
  /// `SHEAF_TOKEN` and `SHEAF_CA_FILE`.
  package static func request(
    _ arguments: some Sequence<String>, environment: [String: String], hostName: String
  ) throws(ConfigurationError) -> Request {
    let valued: Set = [
      "--coordinator", "--slots", "--name", "--cache", "--cache-size", "--slot-memory",
      "--media-root",
      "--token-file", "--token-patience", "--ca-file", "--client-certificate", "--client-key",
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
      // Without what follows `=`, which may be a token in the wrong place.
      default: throw unreadable("unknown argument", option)
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
        mediaRoots: mediaRoots, credentials: try credentials(values, environment),
        tokenPatience: try number(values["--token-patience"], of: "--token-patience")
          .map { (seconds: Int32) in .seconds(seconds) } ?? defaultTokenPatience,
        slotMemory: try number(values["--slot-memory"], of: "--slot-memory") ?? defaultMemory,
        exitsWithParent: exitsWithParent))
  }

  /// Reads the credentials for the coordinator. There is no option for a token, because every process can see
  /// arguments.
  private static func credentials(
    _ values: [String: String], _ environment: [String: String]
  ) throws(ConfigurationError) -> Credentials {
    var credentials = Credentials(
      authorityFile: values["--ca-file"] ?? environment["SHEAF_CA_FILE"],
      certificateFile: values["--client-certificate"], keyFile: values["--client-key"])
    if let path = values["--token-file"] {
      credentials.token = BearerToken(file: path)
      credentials.tokenFile = path
      guard credentials.token != nil else {
        throw ConfigurationError(
          problem: "there is no token in the file", subject: path,
          remedy: "write what `sheaf-coordinator token create` printed into it")
      }
    } else if let text = environment["SHEAF_TOKEN"], !text.isEmpty {
      credentials.token = BearerToken(text)
      guard credentials.token != nil else {
        throw ConfigurationError(
          problem: "there is no token in the variable", subject: "SHEAF_TOKEN",
          remedy: "set it to what `sheaf-coordinator token create` printed")
      }
    }
    return credentials
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
