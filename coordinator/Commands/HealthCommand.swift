import Arguments
import Foundation
import HTTP

/// `sheaf-coordinator health`: checks that a coordinator responds, for containers, which have no other HTTP client.
enum HealthCommand {
  private static let url = Option<String>(
    "url", value: "URL",
    expecting: "an http or https URL, such as https://farm.example:7420",
    help: "The coordinator's address (default: the first one in $SHEAF_COORDINATOR, else "
      + "http://127.0.0.1:7420)"
  ) { text in
    guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https",
      url.host?.isEmpty == false
    else { return nil }
    return text
  }
  private static let connect = Option<InternetAddress>(
    "connect", value: "ADDRESS", expecting: "a numeric IP address, such as 127.0.0.1",
    help: "Connect to this address, and check the certificate for the host in --url"
  ) { InternetAddress($0) }
  private static let authority = Option<String>(
    "ca-file", value: "FILE",
    help: "The CA certificate to verify the coordinator with (default: $SHEAF_CA_FILE, else the "
      + "system's)")
  private static let ready = Flag(
    "ready",
    help: "Check that the coordinator can accept and do work (/readyz), not only that it "
      + "runs (/healthz)")

  static let syntax = CommandSyntax(
    program: "sheaf-coordinator", name: "health", summary: "Check that a coordinator responds",
    details: [
      "It needs no token, and prints nothing if the coordinator responds within 5 seconds."
    ],
    options: [
      url.declaration, connect.declaration, authority.declaration, ready.declaration,
    ],
    exitCodes: [
      Definition("0", "the coordinator is healthy"), Definition("1", "it is not"),
      Definition("2", "invalid arguments"),
    ],
    examples: [
      Example(
        """
        sheaf-coordinator health --url https://farm.example:7420 \\
          --connect 127.0.0.1 --ca-file farm.pem
        """, "Check the coordinator on this host, whose certificate is for farm.example")
    ])

  /// Runs the command.
  ///
  /// - Throws: ``UsageError``, or the reason why the coordinator is not healthy.
  static func run(_ arguments: ParsedArguments) async throws {
    let environment = ProcessInfo.processInfo.environment
    let known = environment["SHEAF_COORDINATOR"]?.split(separator: " ").first.map(String.init)
    let base = try arguments.value(url) ?? known ?? "http://127.0.0.1:7420"
    let client = Client(
      credentials: Credentials(
        authorityFile: try arguments.value(authority) ?? environment["SHEAF_CA_FILE"]))
    let path = arguments.has(ready) ? "/readyz" : "/healthz"
    try await client.expectSuccess(
      base.hasSuffix("/") ? base.dropLast() + path : base + path,
      pin: try arguments.value(connect).flatMap { pin(base, to: $0) })
  }

  private static func pin(_ base: String, to address: InternetAddress) -> PinnedHost? {
    guard let url = URL(string: base), let host = url.host else { return nil }
    let port = url.port ?? (url.scheme == "https" ? 443 : 80)
    return PinnedHost(
      host: host, port: UInt16(truncatingIfNeeded: port), addresses: [address])
  }
}
