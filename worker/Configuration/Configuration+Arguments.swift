import Arguments
import FarmAPI
import Foundation
import HTTP

extension Configuration {
  private static let coordinator = Option<String>(
    "coordinator", value: "URL", isRepeatable: true,
    help: "The coordinator's address (default: $SHEAF_COORDINATOR); repeat it for each coordinator "
      + "of the farm, so that another is used if one does not respond")
  private static let tokenFile = Option<String>(
    "token-file", value: "FILE",
    help: "The file that contains the worker's token (default: the token in $SHEAF_TOKEN); the "
      + "worker reads the file again if the coordinator refuses the token")
  private static let tokenPatience = Option<Duration>(
    "token-patience", seconds: 0...longestTokenPatience.components.seconds,
    help: "How long the coordinator may refuse the token before the worker exits (default: 900)")
  private static let authority = Option<String>(
    "ca-file", value: "FILE",
    help: "The CA certificate to verify the coordinator with (default: $SHEAF_CA_FILE, else the "
      + "system's)")
  private static let storeAuthority = Option<String>(
    "store-ca-file", value: "FILE",
    help: "The CA certificate to verify the farm's object store with (default: the system's)")
  private static let certificate = Option<String>(
    "client-certificate", value: "FILE",
    help: "The certificate to present if the coordinator asks for one")
  private static let key = Option<String>(
    "client-key", value: "FILE", help: "The key of that certificate")
  private static let slots = Option<Int>(
    "slots", value: "N", in: 1...256,
    help: "How many segments to render at a time (default: the number of CPUs)")
  private static let name = Option<String>(
    "name", value: "NAME", help: "The worker's name in the farm (default: the host's name)")
  private static let cache = Option<String>(
    "cache", value: "DIR",
    help: "Where to keep cached parts of assets and unfinished chunks (default: $TMPDIR or "
      + "/var/tmp); the worker leaves nothing there when it exits")
  private static let cacheSize = Option<Int64>(
    "cache-size", value: "BYTES", in: smallestCache...(1 << 50), of: "bytes",
    help: "The size of the asset cache (default: 1073741824)")
  private static let memory = Option<Int>(
    "memory", value: "BYTES", in: HostMemory.smallest...(1 << 50), of: "bytes",
    help: "The maximum memory for all slots: the worker takes only segments that fit (default: the "
      + "memory of the host or control group, minus 10% or 512 MiB, whichever is larger); divide "
      + "it among the workers on one host")
  private static let slotMemory = Option<UInt>(
    "slot-memory", value: "BYTES", in: smallestSlotMemory...(1 << 50), of: "bytes",
    help: "The address space limit of each slot's process, raised for a segment that is expected "
      + "to need more (default: 8589934592)")
  private static let mediaRoot = Option<String>(
    "media-root", value: "DIR", isRepeatable: true,
    help: "Read files under DIR in place if a job refers to them there; DIR must contain the same "
      + "files as the coordinator's --media-root; may be repeated")
  private static let pool = Option<String>(
    "pool", value: "NAME", isRepeatable: true,
    expecting: PoolName.contents,
    help: "Also render jobs that ask for this pool; may be repeated"
  ) { PoolName($0)?.description }
  private static let priority = Option<Int>(
    "priority", value: "N", in: WorkerRegistration.priorities,
    help: "From -100 to 100: of several idle workers, those with a higher one get work first "
      + "(default: 0)")
  private static let hours = Option<WorkHours>(
    "hours", value: "HH:MM-HH:MM", expecting: "hours such as 20:00-06:00",
    help: "Take work only in these hours of the host's time zone, such as 20:00-06:00; segments "
      + "that are being rendered when they end are finished"
  ) { WorkHours($0) }
  private static let logFormat = Option<Log.Format>(
    "log-format", choice: "FORMAT",
    help: "The format of the log on standard error: logfmt or json (default: logfmt)")
  private static let exitsWithParent = Flag(
    "exit-with-parent", help: "Exit when standard input ends")
  private static let idleTime = Option<Duration>(
    "exit-when-idle", seconds: 1...604_800,
    help: "Exit with code 0 after having nothing to render or deliver for this long")
  private static let lifetime = Option<Duration>(
    "max-lifetime", seconds: 1...31_536_000,
    help: "Take no more segments after this time, deliver those that are being rendered, and exit "
      + "with code 0")
  private static let check = Flag(
    "check",
    help: "Check that the options are valid and the coordinator responds, and exit with code 0 or 1"
  )

  private static let syntax = CommandSyntax(
    program: "sheaf-worker", name: "",
    summary: "Renders segments for a coordinator until it is stopped",
    details: [
      "On SIGTERM, SIGINT or SIGHUP, the worker gives its leases back and exits. If the "
        + "coordinator does not respond, or another server responds in its place, the worker keeps "
        + "trying.",
      "`sheaf-worker completions SHELL` prints a script that completes commands in bash, zsh or "
        + "fish, `sheaf-worker man-page` prints the manual page, and `sheaf-worker --version` prints "
        + "the version.",
    ],
    options: [
      coordinator.declaration, tokenFile.declaration, tokenPatience.declaration,
      authority.declaration, storeAuthority.declaration, certificate.declaration, key.declaration,
      slots.declaration,
      name.declaration, cache.declaration, cacheSize.declaration, memory.declaration,
      slotMemory.declaration, mediaRoot.declaration, pool.declaration, priority.declaration,
      hours.declaration, idleTime.declaration, lifetime.declaration, logFormat.declaration,
      check.declaration, exitsWithParent.declaration,
    ],
    exitCodes: [
      Definition("0", "stopped, idle for --exit-when-idle, or at the end of --max-lifetime"),
      Definition("1", "the cache cannot be used, or --check failed"),
      Definition("2", "invalid option"),
      Definition("3", "the coordinator refused the token for longer than --token-patience"),
    ],
    examples: [
      Example(
        "sheaf-worker --coordinator http://farm.example:7420 --slots 4",
        "Render four segments at a time for the coordinator on farm.example"),
      Example(
        """
        sheaf-worker --coordinator https://farm.example:7420 --token-file rack.token \\
          --exit-when-idle 300 --max-lifetime 86400
        """, "Exit after five minutes without work, or after a day"),
    ])

  /// The syntax of the program.
  package static let program = ProgramSyntax(
    syntax,
    environment: [
      Definition(
        "SHEAF_COORDINATOR",
        "The coordinator's address, or several with spaces between them, unless `--coordinator` is "
          + "given"),
      Definition("SHEAF_TOKEN", "The worker's token, unless `--token-file` is given"),
      Definition(
        "SHEAF_CA_FILE",
        "The CA certificate to verify the coordinator with, unless `--ca-file` is given"),
      Definition(
        "TMPDIR", "The directory for cached parts of assets, unless `--cache` is given"),
    ], version: SheafVersion.current)

  /// Reads the arguments. `environment` provides `TMPDIR`, `SHEAF_COORDINATOR`, `SHEAF_TOKEN` and `SHEAF_CA_FILE`.
  ///
  /// - Throws: ``UsageError`` or ``ConfigurationError``.
  package init(
    _ arguments: ParsedArguments, environment: [String: String], hostName: String
  ) throws {
    try self.init(
      coordinators: Self.addresses(arguments, environment),
      slots: arguments.value(Self.slots) ?? ProcessInfo.processInfo.activeProcessorCount,
      name: arguments.value(Self.name) ?? hostName,
      cacheDirectory: arguments.value(Self.cache) ?? environment["TMPDIR"] ?? "/var/tmp",
      cacheByteLimit: arguments.value(Self.cacheSize) ?? Self.defaultCache,
      mediaRoots: arguments.values(Self.mediaRoot),
      credentials: Self.credentials(arguments, environment),
      storeAuthorityFile: arguments.value(Self.storeAuthority),
      tokenPatience: arguments.value(Self.tokenPatience) ?? Self.defaultTokenPatience,
      memory: arguments.value(Self.memory),
      slotMemory: arguments.value(Self.slotMemory) ?? Self.defaultSlotMemory,
      exitsWithParent: arguments.has(Self.exitsWithParent),
      exitConditions: ExitConditions(
        idleTime: arguments.value(Self.idleTime), lifetime: arguments.value(Self.lifetime)),
      checksOnly: arguments.has(Self.check), host: hostName,
      pools: arguments.values(Self.pool), priority: arguments.value(Self.priority) ?? 0,
      hours: arguments.value(Self.hours), logFormat: arguments.value(Self.logFormat) ?? .logfmt)
  }

  /// Reads the addresses of the farm's coordinators.
  private static func addresses(
    _ arguments: ParsedArguments, _ environment: [String: String]
  ) throws -> [String] {
    let named = try arguments.values(coordinator)
    guard named.isEmpty else { return named }
    let addresses = (environment["SHEAF_COORDINATOR"] ?? "").split(whereSeparator: \.isWhitespace)
    guard !addresses.isEmpty else {
      throw UsageError(
        "missing option", on: "--coordinator URL", command: syntax.invocation)
    }
    return addresses.map(String.init)
  }

  /// Reads the credentials for the coordinator. There is no option for a token, because every process can see
  /// arguments.
  private static func credentials(
    _ arguments: ParsedArguments, _ environment: [String: String]
  ) throws -> Credentials {
    var credentials = Credentials(
      authorityFile: try arguments.value(authority) ?? environment["SHEAF_CA_FILE"],
      certificateFile: try arguments.value(certificate), keyFile: try arguments.value(key))
    if let path = try arguments.value(tokenFile) {
      guard access(path, R_OK) == 0 else {
        throw ConfigurationError(
          problem: "cannot read the token file", subject: path,
          remedy: "name a readable file with --token-file")
      }
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
}
