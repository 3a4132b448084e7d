import Foundation
import HTTP

extension Configuration {
  /// The action that the arguments request.
  package enum Request: Hashable, Sendable {
    /// Print ``Configuration/help``.
    case help
    /// Run a worker.
    case run(Configuration)
  }

  /// The text of `--help`.
  package static let help = """
    Renders segments for a coordinator until it is stopped.

    usage: sheaf-worker --coordinator URL [options]

    options:
      --coordinator URL    The coordinator's address
      --token-file FILE    The file that contains the worker's token (default: the
                           token in $SHEAF_TOKEN); the worker reads the file again
                           if the coordinator refuses the token
      --token-patience SECONDS
                           How long the coordinator may refuse the token before
                           the worker exits (default: 900)
      --ca-file FILE       The CA certificate to verify the coordinator with
                           (default: $SHEAF_CA_FILE, else the system's)
      --client-certificate FILE, --client-key FILE
                           The certificate to present if the coordinator asks for
                           one, and its key
      --slots N            How many segments to render at a time (default: the
                           number of CPUs)
      --name NAME          The worker's name in the farm (default: the host's name)
      --cache DIR          Where to keep cached parts of assets and unfinished
                           chunks (default: $TMPDIR or /var/tmp); the worker
                           leaves nothing there when it exits
      --cache-size BYTES   The size of the asset cache (default: 1073741824)
      --memory BYTES       The memory that all segments may need together: the worker
                           takes only segments that fit (default: the memory of
                           the host or control group, minus the larger of 512 MiB
                           and a tenth); divide it among workers on one host
      --slot-memory BYTES  The address space limit of each slot's process; higher
                           for a segment that is expected to need more
                           (default: 8589934592)
      --media-root DIR     Read files under DIR in place if a job refers to them
                           there; DIR must contain the same files as the
                           coordinator's --media-root; may be repeated
      --exit-with-parent   Exit when standard input ends
      -h, --help           Print this help

    SIGTERM, SIGINT and SIGHUP stop the worker, which gives its leases back first.
    If the coordinator does not answer, or another server answers in its place,
    the worker keeps trying.

    exit codes: 0 stopped, 1 the cache cannot be used, 2 invalid option,
                3 the coordinator refused the token for --token-patience

    example:
      sheaf-worker --coordinator http://farm.example:7420 --slots 4
          Work for the coordinator on farm.example, four segments at a time
    """

  /// Reads the arguments after the program's name. `environment` provides `TMPDIR`, `SHEAF_TOKEN` and `SHEAF_CA_FILE`.
  package static func request(
    _ arguments: some Sequence<String>, environment: [String: String], hostName: String
  ) throws(ConfigurationError) -> Request {
    let valued: Set = [
      "--coordinator", "--slots", "--name", "--cache", "--cache-size", "--memory", "--slot-memory",
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
      // The message omits the text after `=`, which may be a misplaced token.
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
        memory: try number(values["--memory"], of: "--memory"),
        slotMemory: try number(values["--slot-memory"], of: "--slot-memory") ?? defaultSlotMemory,
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
          problem: "the file contains no token", subject: path,
          remedy: "write a token from `sheaf-coordinator token create` into it")
      }
    } else if let text = environment["SHEAF_TOKEN"], !text.isEmpty {
      credentials.token = BearerToken(text)
      guard credentials.token != nil else {
        throw ConfigurationError(
          problem: "the variable contains no token", subject: "SHEAF_TOKEN",
          remedy: "set it to a token from `sheaf-coordinator token create`")
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
