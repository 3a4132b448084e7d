import Arguments
import FarmAPI
import HTTP
import PostgreSQL
import S3
import Scheduling

/// The configuration of `sheaf-coordinator serve`.
package struct ServeConfiguration: Sendable {
  /// The path of the data directory.
  package var data: String
  /// The database that has the ledger; `nil` for SQLite in the data directory.
  package var ledger: ServerAddress?
  /// The address to listen on.
  package var bind = "127.0.0.1"
  /// The port to listen on; 0 for any free port.
  package var port: UInt16 = 7420
  /// A listening socket from the parent process; ``bind`` is then its address.
  package var descriptor: Int32?
  /// Whether tokens are required even if only this host can reach the coordinator.
  package var requiresTokens = false
  /// The files of the certificate and its key if the server uses TLS.
  package var certificate: String?
  package var key: String?
  /// The file of the authority that signs workers' certificates if they are required.
  package var clientAuthority: String?
  /// Where the other coordinators of the farm reach this one; `nil` if it is the only one.
  package var peerAddress: SocketPlace?
  /// The host names that requests may be for; empty allows any host.
  package var hosts: Set<String> = []
  /// The object store that keeps stored files; `nil` for the data directory.
  package var store: ObjectClient?
  /// The directories with files that projects may refer to without an upload.
  package var mediaRoots: [String] = []
  /// The folder in which this user's commands cache media digests and indexes; `nil` if it is not used.
  package var mediaCache: String?
  /// The sources from which assets may be fetched.
  package var sources = AssetSources()
  /// The sources from which recordings may be made.
  package var recordingSources = AllowedRecordingSources()
  /// Where notifications may go.
  package var notifications = NotificationSettings()
  /// The level of detail of the log on standard error.
  package var logLevel = Log.Level.normal
  /// The format of both logs.
  package var logFormat = Log.Format.logfmt
  /// The file for the access log, or `-` for standard output; `nil` for none.
  package var accessLog: String?
  /// Whether to stop when standard input ends.
  package var exitsWithParent = false
  /// The limits on requests, projects and submitters.
  package var limits = Limits()
  /// How much data is kept, and how much disk space stays free.
  package var storage = StorageSettings()
  /// The share of delivered chunks that are compared with another worker's, from 0 to 1.
  package var auditShare = 0.0
  /// The time after which the coordinator looks for damaged frames in a job that is being rendered.
  package var damageSearchDelay = Self.defaultDamageSearchDelay
  /// The durations of leases and other waits.
  package var scheduling: SchedulerSettings

  package static let defaultDamageSearchDelay = Duration.seconds(10)

  private static let port = Option<UInt16>(
    "port", value: "PORT", in: 0...65535,
    help: "The port to listen on; 0 for any free port (default: 7420)")
  private static let bind = Option<String>(
    "bind", value: "ADDRESS", help: "The address to listen on (default: 127.0.0.1)")
  private static let descriptor = Option<Int32>(
    "listen-descriptor", value: "N", in: 3...65535,
    help: "Serve the listening socket with this descriptor, which the parent process has opened, "
      + "instead of --bind and --port")
  private static let peerAddress = Option<SocketPlace>(
    "peer-address", value: "ADDRESS:PORT", expecting: "a numeric address of this host and a port",
    help: "Run as one of several coordinators that share --ledger and --store, and listen on "
      + "ADDRESS:PORT for connections that the others pass on"
  ) { text in
    guard let place = SocketPlace(text), place.address.bytes.contains(where: { $0 != 0 }) else {
      return nil
    }
    return place
  }
  private static let host = Option<String>(
    "host", value: "NAME", isRepeatable: true, expecting: "a name or address, without a port",
    help: "Answer only requests for this host, and reject others with 421; may be repeated"
  ) { text in
    guard let field = HostField(text), !text.hasSuffix("]"), field.host == text.lowercased() else {
      return nil
    }
    return field.host
  }
  private static let requiresTokens = Flag(
    "require-tokens",
    help: "Require tokens on a loopback address too, for example behind a proxy")
  private static let certificate = Option<String>(
    "tls-certificate", value: "FILE", help: "Use TLS with this certificate chain (PEM)")
  private static let key = Option<String>(
    "tls-key", value: "FILE", help: "The key of the certificate (PEM)")
  private static let clientAuthority = Option<String>(
    "tls-client-ca", value: "FILE",
    help: "Require a certificate signed by this authority from workers, in addition to a token")
  private static let mediaRoot = Option<String>(
    "media-root", value: "DIR", isRepeatable: true,
    help: "Let projects refer to files under DIR without uploading them; may be repeated")
  private static let mediaCache = Option<String>(
    "media-cache", value: "DIR", kind: .directory,
    help: "Trust the digests and media indexes of files under media roots that sheaf has stored "
      + "in DIR, its folder in ~/.cache, instead of reading the files")
  private static let lease = Option<Int>(
    "lease-seconds", value: "N", in: 1...3600, of: "seconds",
    help: "Seconds that a lease lasts without a heartbeat (default: 30)")
  private static let grace = Option<Int>(
    "grace-seconds", value: "N", in: 0...3600, of: "seconds",
    help: "Seconds after a restart in which workers can reconnect and keep their leases (default: "
      + "60, or the value of --lease-seconds if that is longer)")
  private static let auditShare = Option<Double>(
    "audit-share", value: "F", in: 0...1,
    help: "The share of segments, from 0 to 1, that a second worker also renders for comparison; "
      + "a worker whose chunk differs gets no more leases until it is resumed (default: 0)")
  private static let damageSearch = Option<Int>(
    "damage-search-after", value: "N", in: 0...31_536_000, of: "seconds",
    help: "Seconds of rendering after which a job's pending segments are decoded at low priority, "
      + "so that damaged footage fails the job early (default: "
      + "\(Self.defaultDamageSearchDelay.components.seconds))")
  private static let quiet = Flag("quiet", help: "Log only errors to standard error")
  private static let verbose = Flag("verbose", help: "Also log details to standard error")
  private static let logFormat = Option<Log.Format>(
    "log-format", choice: "FORMAT",
    help: "The format of the log and the access log: logfmt or json (default: logfmt)")
  private static let accessLog = Option<String>(
    "access-log", value: "FILE",
    help: "Append a line about each request to FILE, or print it if FILE is - (default: none)")
  private static let exitsWithParent = Flag(
    "exit-with-parent", help: "Stop when standard input ends")

  package static let syntax = CommandSyntax(
    program: "sheaf-coordinator", name: "serve", summary: "Run a coordinator",
    details: [
      "It accepts projects, leases their segments to workers, and assembles the chunks into "
        + "files. It prints one line, `listening on URL`, when it is ready. The status page is "
        + "at that URL.",
      "If other hosts can reach the address, every client needs a token: see "
        + "`sheaf-coordinator token --help`.",
    ],
    options: [
      Option.data.declaration.required()
    ] + LedgerOption.declarations + StoreOption.declarations + [
      bind.declaration, port.declaration,
      descriptor.declaration, peerAddress.declaration, host.declaration,
      requiresTokens.declaration, certificate.declaration, key.declaration,
      clientAuthority.declaration, mediaRoot.declaration,
      mediaCache.declaration,
    ] + AssetSources.options + AllowedRecordingSources.options + NotificationSettings.options + [
      lease.declaration, grace.declaration,
    ] + StorageSettings.options
      + [
        auditShare.declaration, damageSearch.declaration, quiet.declaration, verbose.declaration,
        logFormat.declaration, accessLog.declaration,
        exitsWithParent.declaration,
      ],
    groups: [
      OptionGroup(
        "limits, each followed by the HTTP status or the effect of exceeding it", Limits.options)
    ],
    examples: [
      Example(
        """
        sheaf-coordinator serve --data /var/lib/sheaf --bind 0.0.0.0 \\
          --tls-certificate farm.pem --tls-key farm.key --media-root /srv/footage
        """, "Serve other hosts, and let projects refer to files under /srv/footage")
    ])

  /// Reads the arguments after `serve`.
  ///
  /// - Throws: ``UsageError`` that names the argument and what to write.
  package init(_ arguments: [String]) throws(UsageError) {
    try self.init(ParsedArguments(arguments, syntax: Self.syntax))
  }

  /// Reads the arguments of `serve`.
  ///
  /// - Throws: ``UsageError`` that names the argument and what to write.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    data = try arguments.required(.data)
    ledger = try LedgerOption.address(arguments)
    store = try StoreOption.store(arguments)
    bind = try arguments.value(Self.bind) ?? bind
    port = try arguments.value(Self.port) ?? port
    if let descriptor = try arguments.value(Self.descriptor) {
      (self.descriptor, bind) = (descriptor, try Self.address(of: descriptor, arguments))
    }
    peerAddress = try arguments.value(Self.peerAddress)
    requiresTokens = arguments.has(Self.requiresTokens)
    certificate = try arguments.value(Self.certificate)
    key = try arguments.value(Self.key)
    clientAuthority = try arguments.value(Self.clientAuthority)
    hosts = Set(try arguments.values(Self.host))
    mediaRoots = try arguments.values(Self.mediaRoot)
    mediaCache = try arguments.value(Self.mediaCache)
    sources = try AssetSources(arguments)
    recordingSources = try AllowedRecordingSources(arguments)
    notifications = try NotificationSettings(arguments, command: Self.syntax.invocation)
    logLevel = arguments.has(Self.verbose) ? .verbose : arguments.has(Self.quiet) ? .quiet : .normal
    logFormat = try arguments.value(Self.logFormat) ?? logFormat
    accessLog = try arguments.value(Self.accessLog)
    exitsWithParent = arguments.has(Self.exitsWithParent)
    limits = try Limits(arguments)
    storage = try StorageSettings(arguments)
    auditShare = try arguments.value(Self.auditShare) ?? auditShare
    if let seconds = try arguments.value(Self.damageSearch) {
      damageSearchDelay = .seconds(seconds)
    }
    let invocation = Self.syntax.invocation
    guard (certificate == nil) == (key == nil) else {
      throw UsageError(
        "a certificate and its key must be given together", on: "--tls-certificate, --tls-key",
        command: invocation)
    }
    guard !(arguments.has(Self.quiet) && arguments.has(Self.verbose)) else {
      throw UsageError(
        "the options cannot be used together", on: "--quiet, --verbose", command: invocation)
    }
    guard clientAuthority == nil || certificate != nil else {
      throw UsageError(
        "the option needs --tls-certificate and --tls-key", on: "--tls-client-ca",
        command: invocation)
    }
    guard peerAddress == nil || ledger != nil && store != nil else {
      throw UsageError(
        "the option needs --ledger and --store", on: "--peer-address", command: invocation)
    }
    guard !storage.isTemporary || LoopbackAddress.contains(bind) else {
      throw UsageError(
        "the option needs a loopback address, because a system crash destroys the farm's jobs",
        on: "--temporary", command: invocation)
    }
    guard !storage.isTemporary || ledger == nil else {
      throw UsageError(
        "the options cannot be used together", on: "--ledger, --temporary", command: invocation)
    }
    guard !storage.isTemporary || store == nil else {
      throw UsageError(
        "the options cannot be used together", on: "--store, --temporary", command: invocation)
    }
    let leaseSeconds = try arguments.value(Self.lease) ?? 30
    let graceSeconds = try arguments.value(Self.grace) ?? max(60, leaseSeconds)
    do {
      scheduling = try SchedulerSettings(
        leaseDuration: .seconds(leaseSeconds),
        gracePeriod: .seconds(graceSeconds),
        forgetWorkerAfter: .seconds(max(900, leaseSeconds)),
        stuckAfter: .seconds(max(120, leaseSeconds)),
        longestTransfer: .seconds(max(1800, leaseSeconds)))
    } catch {
      throw UsageError(
        error.message, on: "--lease-seconds, --grace-seconds", command: invocation)
    }
  }

  /// The address of a socket from the parent process. It decides who can reach the coordinator.
  private static func address(
    of descriptor: Int32, _ arguments: ParsedArguments
  ) throws(UsageError) -> String {
    let name = "--\(Self.descriptor.declaration.name)"
    guard !arguments.has(bind.declaration), !arguments.has(port.declaration) else {
      throw UsageError(
        "the option replaces --bind and --port", on: name, command: syntax.invocation)
    }
    guard let address = ListeningSocket.address(of: descriptor) else {
      throw UsageError(
        "descriptor \(descriptor) is not a listening TCP socket", on: name,
        command: syntax.invocation)
    }
    return address
  }

  /// Whether callers without a token are accepted.
  package var accessPolicy: Access.Policy {
    requiresTokens || !LoopbackAddress.contains(bind) ? .tokens : .loopback
  }
}
