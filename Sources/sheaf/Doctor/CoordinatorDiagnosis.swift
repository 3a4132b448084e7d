import Arguments
import FarmAPI
import Foundation
import HTTP

/// Checks the connection to a coordinator.
package enum CoordinatorDiagnosis {
  /// The checks, in order.
  private static let names = [
    "coordinator", "certificate", "readiness", "version", "clock", "token",
  ]

  /// The results if no coordinator is named.
  static let skipped = names.map {
    Diagnosis.skipped(
      $0, "no coordinator is named",
      fix: $0 == names[0]
        ? "name one with --coordinator URL, SHEAF_COORDINATOR or the configuration file "
          + "(`sheaf config --help`)" : nil)
  }

  /// Calls a coordinator, and judges its answers.
  ///
  /// - Parameters:
  ///   - address: its address.
  ///   - credentials: the token to check and the authorities to trust.
  ///   - canReadToken: whether the credentials are complete. If not, the token is not checked.
  static func check(
    _ address: CoordinatorAddress, with credentials: Credentials, canReadToken: Bool
  ) async throws -> [Diagnosis] {
    let call = CoordinatorCall(to: address.url, with: credentials)
    let health: CoordinatorCall.Answer
    do {
      // The token is not sent before the server is known to be a coordinator.
      health = try await CoordinatorCall(
        to: address.url, with: Credentials(authorityFile: credentials.authorityFile)
      ).get("/healthz")
    } catch let error as ClientError {
      return lost(await unreachable(address, because: error))
    }
    guard CoordinatorCall.isHealthy(health.response) else {
      return lost(await stranger(address, health.response))
    }
    let milliseconds = Int((health.received.timeIntervalSince(health.sent) * 1000).rounded())
    return [
      .ok(names[0], "\(address.shown) answers in \(milliseconds) ms"),
      transport(
        address, certificate: health.response.certificate, sendsToken: credentials.token != nil,
        now: health.received),
      try await readiness(call), try await version(call),
      clock(
        server: health.response.headers["Date"].flatMap(HTTPDate.read), sent: health.sent,
        received: health.received),
      canReadToken
        ? try await token(call, hasToken: credentials.token != nil)
        : .skipped(names[5], "it could not be read"),
    ]
  }

  /// A failure of the first check, after which the others are not made.
  private static func lost(_ failure: Diagnosis) -> [Diagnosis] {
    [failure] + names.dropFirst().map { .skipped($0, "the coordinator does not answer") }
  }

  // MARK: The connection

  private static func unreachable(
    _ address: CoordinatorAddress, because error: ClientError
  ) async -> Diagnosis {
    if error.mayBeSchemeMismatch, let mismatch = await SchemeMismatch.find(at: address.url) {
      return wrongScheme(mismatch, address)
    }
    let place = address.shown
    func failed(_ message: String, _ fix: String) -> Diagnosis {
      .failed(names[0], message, fix: fix, exitCode: .coordinatorUnreachable)
    }
    switch error.code {
    case .couldNotResolve:
      return failed(
        "\(place): the host name has no address",
        "correct the name, or add it to the DNS or to /etc/hosts")
    case .couldNotConnect:
      return failed(
        "\(place): nothing accepts connections there",
        "start `sheaf-coordinator serve` on that host, and open the port in its firewall; a "
          + "coordinator on another host needs `--bind`")
    case .timedOut:
      return failed(
        "\(place): there was no answer in time",
        "check the network, firewalls and proxies between the hosts")
    case .secureConnectionFailed:
      return failed("\(place): \(problem(error.certificateProblem))", fix(error.certificateProblem))
    default:
      return failed(
        "\(place): \(error.message.withoutPasswords)",
        "check the address, and the proxies on the way")
    }
  }

  private static func problem(_ problem: CertificateProblem?) -> String {
    switch problem {
    case .expired: "the certificate has expired, or this host's clock is wrong"
    case .notYetValid: "the certificate is not valid yet, or this host's clock is wrong"
    case .otherName: "the certificate is for another name"
    case .untrusted, nil: "the certificate is not signed by a trusted authority"
    }
  }

  private static func fix(_ problem: CertificateProblem?) -> String {
    switch problem {
    case .expired, .notYetValid:
      "compare this host's clock (`date`) with the real time; if it is right, renew the "
        + "certificate and restart the coordinator"
    case .otherName:
      "use a name that the certificate contains, or create a certificate for this name"
    case .untrusted, nil: "pass the CA certificate with --ca-file FILE or SHEAF_CA_FILE"
    }
  }

  private static func stranger(
    _ address: CoordinatorAddress, _ response: ClientResponse
  ) async -> Diagnosis {
    if response.status == .badRequest, response.problem == nil,
      let mismatch = await SchemeMismatch.find(at: address.url)
    {
      return wrongScheme(mismatch, address)
    }
    return .failed(
      names[0],
      "\(address.shown): a server answers, but it is not a coordinator (\(response.status))",
      fix: "correct the address, or let the proxy there forward /healthz to the coordinator",
      exitCode: .coordinatorUnreachable)
  }

  private static func wrongScheme(
    _ mismatch: SchemeMismatch, _ address: CoordinatorAddress
  ) -> Diagnosis {
    .failed(
      names[0], "\(mismatch.problem(of: "the coordinator")): \(address.shown)",
      fix: mismatch.remedy(for: "the coordinator", with: "--tls-certificate").withoutPasswords,
      exitCode: .coordinatorUnreachable)
  }

  private static func transport(
    _ address: CoordinatorAddress, certificate: ServerCertificate?, sendsToken: Bool, now: Date
  ) -> Diagnosis {
    if address.url.hasPrefix("https:") {
      return self.certificate(expiry: certificate?.expiry, now: now)
    }
    let host = URL(string: address.url)?.host ?? ""
    if host == "localhost" || LoopbackAddress.isNumeric(host) {
      return .ok(names[1], "none is needed, because the connection does not leave this host")
    }
    return .warning(
      names[1],
      "the connection is not encrypted: others on the network can read "
        + (sendsToken ? "the token and the media" : "the media"),
      fix: "start the coordinator with --tls-certificate and --tls-key, and use its https address")
  }

  /// The days before its end in which a certificate should be renewed.
  private static let renewal = 14

  /// Judges the certificate of a connection that was accepted.
  package static func certificate(expiry: Date?, now: Date) -> Diagnosis {
    guard let expiry else { return .ok(names[1], "it is trusted") }
    let days = Int((expiry.timeIntervalSince(now) / 86_400).rounded(.down))
    let date = expiry.formatted(.iso8601.year().month().day())
    let length = "\(days) \(days == 1 ? "day" : "days")"
    return days < renewal
      ? .warning(
        names[1], "it is trusted, but expires in \(length), on \(date)",
        fix: "renew it, and restart the coordinator")
      : .ok(names[1], "it is trusted, and expires in \(length), on \(date)")
  }

  // MARK: The coordinator

  private static func readiness(_ call: CoordinatorCall) async throws -> Diagnosis {
    try await attempt(names[2], call, "/readyz") { response in
      if response.status == .ok { return .ok(names[2], "the coordinator accepts work") }
      let reason = response.problem?.detail ?? "\(response.status)"
      return .warning(
        names[2], "the coordinator accepts no work: \(reason)",
        fix: "ask its operator to look at its log")
    }
  }

  private struct VersionedFarm: Decodable { var version: String }

  private static func version(_ call: CoordinatorCall) async throws -> Diagnosis {
    try await attempt(names[3], call, "/api/v1/farm") { response in
      switch response.status {
      case .unauthorized, .forbidden:
        return .skipped(
          names[3], "the coordinator's version is visible only with a token that may see the farm",
          fix: "use the token of a submitter, an observer or an admin")
      case let status where status.isSuccess || status == .notFound:
        let farm = try? FarmCoding.decode(VersionedFarm.self, from: response.body)
        return version(of: status.isSuccess ? farm?.version : nil)
      default:
        return .skipped(names[3], "the coordinator answers \(response.status): try again")
      }
    }
  }

  /// Judges the coordinator's version; `nil` for one that does not state it, as before 0.9.
  package static func version(of version: String?) -> Diagnosis {
    let own = SheafVersion.current
    if version == own { return .ok(names[3], "sheaf and the coordinator have version \(own)") }
    return .failed(
      names[3],
      "sheaf has version \(own), but the coordinator \(version ?? "one that it does not state")",
      fix: "install the same version of sheaf and sheaf-coordinator")
  }

  /// The seconds of difference that are normal, and those above which receivers of notifications reject them.
  private static let tolerance = (normal: 10.0, greatest: 300.0)

  /// Compares the clocks of two hosts.
  ///
  /// - Parameters:
  ///   - server: the time on the server, in whole seconds, at some moment between `sent` and `received`.
  ///   - sent: the time here when the request was sent.
  ///   - received: the time here when the response arrived.
  package static func clock(server: Date?, sent: Date, received: Date) -> Diagnosis {
    guard let server else {
      return .skipped(names[4], "the coordinator's response does not state the time")
    }
    // The part of the difference that neither the whole seconds nor the time on the way explain.
    let ahead = sent.timeIntervalSince(server) - 1
    let behind = server.timeIntervalSince(received)
    let difference = max(ahead, behind, 0)
    guard difference > tolerance.normal else {
      return .ok(names[4], "it agrees with the coordinator's")
    }
    let direction = ahead > behind ? "ahead of" : "behind"
    let message =
      "this host's clock is \(TimeText.elapsed(difference)) \(direction) the coordinator's"
    let fix = "synchronize the clocks of both hosts: `timedatectl set-ntp true`"
    return difference > tolerance.greatest
      ? .failed(
        names[4], "\(message), so certificates and the signatures of notifications may be rejected",
        fix: fix)
      : .warning(names[4], message, fix: fix)
  }

  // MARK: The token

  /// The caller of a request, as the coordinator knows it.
  package struct Session: Hashable, Decodable, Sendable {
    var needsToken: Bool
    var name: String?
    var role: String?

    package init(needsToken: Bool, name: String? = nil, role: String? = nil) {
      self.needsToken = needsToken
      self.name = name
      self.role = role
    }
  }

  private static func token(_ call: CoordinatorCall, hasToken: Bool) async throws -> Diagnosis {
    try await attempt(names[5], call, "/session") { response in
      guard response.status.isSuccess || [.unauthorized, .forbidden].contains(response.status)
      else {
        return .skipped(names[5], "the coordinator answers \(response.status): try again")
      }
      guard response.status.isSuccess else {
        return .failed(
          names[5],
          "the coordinator rejects it: \(response.problem?.detail ?? "\(response.status)")",
          fix: "ask the operator for a new one (`sheaf-coordinator token create`)",
          exitCode: .notAllowed)
      }
      guard let session = try? FarmCoding.decode(Session.self, from: response.body) else {
        return .skipped(names[5], "the coordinator's response cannot be read")
      }
      return token(session, hasToken: hasToken)
    }
  }

  /// Judges what the coordinator says about the caller.
  package static func token(_ session: Session, hasToken: Bool) -> Diagnosis {
    if session.needsToken {
      return .failed(
        names[5], "the coordinator requires one, and none is given",
        fix: "pass it with --token-file FILE or SHEAF_TOKEN; the operator creates it with "
          + "`sheaf-coordinator token create`", exitCode: .notAllowed)
    }
    guard let name = session.name, let role = session.role else {
      return .ok(names[5], "none is needed: every user of the coordinator's host may do everything")
    }
    let holder = "\(name)'s token has the role \(role)"
    switch role {
    case "submitter": return .ok(names[5], "\(holder): it may submit jobs and manage its own")
    case "observer":
      return .ok(names[5], "\(holder): it may see every job and worker, and change nothing")
    case "admin":
      return .ok(names[5], "\(holder): it may manage all jobs, workers and tokens")
    case "worker":
      return .warning(
        names[5], "\(holder): `sheaf-worker` can use it, but the commands of sheaf cannot",
        fix: "use the token of a submitter, an observer or an admin")
    default: return .ok(names[5], holder)
    }
  }

  /// Calls the coordinator, which has answered before.
  private static func attempt(
    _ name: String, _ call: CoordinatorCall, _ path: String,
    _ judge: (ClientResponse) -> Diagnosis
  ) async throws -> Diagnosis {
    do {
      return judge(try await call.get(path).response)
    } catch let error as ClientError {
      return .failed(
        name, error.message.withoutPasswords,
        fix: "try again; if it fails again, look at the coordinator's log",
        exitCode: .coordinatorUnreachable)
    }
  }
}
