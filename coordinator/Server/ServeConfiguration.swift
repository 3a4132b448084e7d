import HTTP
import Scheduling

/// The configuration of `sheaf-coordinator serve`.
package struct ServeConfiguration: Sendable {
  /// The path of the data directory.
  package var data: String
  /// The address to listen on.
  package var bind = "127.0.0.1"
  /// The port to listen on; 0 for any free port.
  package var port: UInt16 = 7420
  /// Whether tokens are required even if only this host can reach the coordinator.
  package var requiresTokens = false
  /// The files of the certificate and its key if the server uses TLS.
  package var certificate: String?
  package var key: String?
  /// The file of the authority that signs workers' certificates if they are required.
  package var clientAuthority: String?
  /// The host names that requests may be for; empty allows any host.
  package var hosts: Set<String> = []
  /// The directories with files that projects may refer to without an upload.
  package var mediaRoots: [String] = []
  /// The sources from which assets may be fetched.
  package var sources = AssetSources()
  /// The level of detail of the log on standard error.
  package var logLevel = Log.Level.normal
  /// Whether to stop when standard input ends.
  package var exitsWithParent = false
  /// The limits on requests, projects and submitters.
  package var limits = Limits()
  /// How much data is kept, and how much disk space stays free.
  package var storage = StorageSettings()
  /// The share of delivered chunks that are compared with another worker's, from 0 to 1.
  package var auditShare = 0.0
  /// The durations of leases and other waits.
  package var scheduling: SchedulerSettings

  /// Reads the arguments after `serve`.
  ///
  /// - Throws: ``UsageError`` that names the argument and what to write.
  package init(_ arguments: [String]) throws(UsageError) {
    var data: String?
    var leaseSeconds = 30
    var graceSeconds: Int?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--data": data = try Self.value(of: argument, &rest)
      case "--bind": bind = try Self.value(of: argument, &rest)
      case "--port":
        let text = try Self.value(of: argument, &rest)
        guard let number = UInt16(text) else {
          throw UsageError("--port '\(text)' is not a port: write 0 to 65535")
        }
        port = number
      case "--require-tokens": requiresTokens = true
      case "--tls-certificate": certificate = try Self.value(of: argument, &rest)
      case "--tls-key": key = try Self.value(of: argument, &rest)
      case "--tls-client-ca": clientAuthority = try Self.value(of: argument, &rest)
      case "--host":
        let text = try Self.value(of: argument, &rest)
        guard let field = HostField(text), !text.hasSuffix("]"), field.host == text.lowercased()
        else {
          throw UsageError(
            "--host '\(text)' is not a host: write a name or address, without a port")
        }
        hosts.insert(field.host)
      case "--media-root": mediaRoots.append(try Self.value(of: argument, &rest))
      case "--lease-seconds":
        leaseSeconds = try Self.seconds(of: argument, in: 1...3600, &rest)
      case "--grace-seconds":
        graceSeconds = try Self.seconds(of: argument, in: 0...3600, &rest)
      case "--audit-share":
        let text = try Self.value(of: argument, &rest)
        guard let share = Double(text), (0...1).contains(share) else {
          throw UsageError("--audit-share '\(text)' must be 0 to 1, such as 0.02")
        }
        auditShare = share
      case "--quiet": logLevel = .quiet
      case "--verbose": logLevel = .verbose
      case "--exit-with-parent": exitsWithParent = true
      case _ where Limits.settings.contains { $0.option == argument }:
        try limits.set(argument, to: Self.value(of: argument, &rest))
      default:
        let value = { () throws(UsageError) in try Self.value(of: argument, &rest) }
        if try storage.take(argument, value) { continue }
        if try sources.take(argument, value) { continue }
        throw UsageError("'\(argument)' is not an argument of serve: see serve --help")
      }
    }
    guard let data else {
      throw UsageError("--data is missing: name the data directory")
    }
    self.data = data
    guard (certificate == nil) == (key == nil) else {
      throw UsageError("--tls-certificate and --tls-key go together: name both files")
    }
    guard clientAuthority == nil || certificate != nil else {
      throw UsageError("--tls-client-ca needs --tls-certificate and --tls-key")
    }
    do {
      scheduling = try SchedulerSettings(
        leaseDuration: .seconds(leaseSeconds),
        gracePeriod: .seconds(graceSeconds ?? max(60, leaseSeconds)),
        forgetWorkerAfter: .seconds(max(900, leaseSeconds)),
        stuckAfter: .seconds(max(120, leaseSeconds)),
        longestTransfer: .seconds(max(1800, leaseSeconds)))
    } catch {
      throw UsageError(error.message)
    }
  }

  /// Whether callers without a token are accepted.
  package var accessPolicy: Access.Policy {
    requiresTokens || !LoopbackAddress.contains(bind) ? .tokens : .loopback
  }

  private static func value(
    of argument: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(argument) needs a value")
    }
    return value
  }

  private static func seconds(
    of argument: String, in range: ClosedRange<Int>, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> Int {
    let text = try value(of: argument, &rest)
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(argument) '\(text)' must be \(range.lowerBound) to \(range.upperBound) seconds")
    }
    return number
  }

  static let usage = """
    usage: sheaf-coordinator serve --data DIR [--bind ADDRESS] [--port PORT] [--media-root DIR]…

    Runs a coordinator: accepts projects, leases their segments to workers, and assembles the chunks into files.
    Prints one line, `listening on URL`, when it is ready. The status page is at that URL.
    If other hosts can reach the address, every client needs a token: see `sheaf-coordinator token --help`.

      --data DIR           the directory for everything that is stored; one coordinator at a time can use it
      --bind ADDRESS       the address to listen on (127.0.0.1)
      --port PORT          the port to listen on (7420); 0 for any free port
      --host NAME          answer only requests for this host, and reject others with 421; may be repeated
      --require-tokens     require tokens on a loopback address too, for example behind a proxy
      --tls-certificate FILE, --tls-key FILE
                           use TLS with this certificate chain and key (PEM)
      --tls-client-ca FILE require a certificate signed by this authority from workers, in addition to a token
      --media-root DIR     let projects refer to files under DIR without an upload; may be repeated
    \(AssetSources.usage)
      --lease-seconds N    how long a lease lasts without a heartbeat (30)
      --grace-seconds N    how long earlier leases wait for their workers after a restart
                           (60, or the value of --lease-seconds if that is longer)
    \(StorageSettings.usage)
      --audit-share F      share of the segments, from 0 to 1, that a second worker renders too; a worker
                           whose chunk differs gets no more leases until it is resumed (0)
      --quiet, --verbose   log less or more to standard error
      --exit-with-parent   stop when standard input ends

    limits, each with the HTTP status or the effect if it is exceeded, and its default:

    \(Limits.usage)

    example: sheaf-coordinator serve --data /var/lib/sheaf --bind 0.0.0.0 \\
               --tls-certificate farm.pem --tls-key farm.key --media-root /srv/footage
    """
}
