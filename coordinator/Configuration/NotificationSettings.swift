import Arguments
import FarmAPI
import Foundation
import HTTP
import Timeline

/// Where notifications may go, as the operator decides. By default, there are none.
package struct NotificationSettings: Sendable {
  /// The URLs that get the events of every job.
  package var webhooks: [AssetURL] = []
  /// The origins of the URLs that jobs may name.
  package var origins: [AssetOrigin] = []
  /// The file with the secret that signs requests.
  package var secretFile: String?
  /// The file of the authorities that sign the receivers' certificates; `nil` for the system's.
  package var authorityFile: String?
  /// Whether receivers that jobs name may have addresses that are not public.
  package var allowsPrivateAddresses = false
  /// The addresses that get mail about every job that completes or fails.
  package var mailTo: [MailAddress] = []
  /// The program that sends mail.
  package var mailProgram = "/usr/sbin/sendmail"
  /// Resolves a host name. Blocks.
  package var resolve: @Sendable (String) throws -> [InternetAddress] = {
    try InternetAddress.resolve($0)
  }
  /// The time limit for a request.
  package var timeout = Duration.seconds(10)

  /// No notifications.
  package init() {}

  private static let webhook = Option<AssetURL>(
    "webhook", value: "URL", isRepeatable: true, expecting: "an http or https URL",
    help: "Send the events of every job to URL; may be repeated"
  ) { (try? AssetURL($0)).flatMap { $0.recording == nil ? $0 : nil } }
  private static let secret = Option<String>(
    "webhook-secret-file", value: "FILE",
    help: "The file with the secret that signs webhooks: at least 16 bytes, and readable only by "
      + "its owner (mode 600)")
  private static let host = Option<AssetOrigin>(
    "webhook-host", value: "ORIGIN", isRepeatable: true,
    expecting: "a scheme and a host, such as https://hooks.example.com or https://*.example.com",
    help: "Let jobs name webhooks whose URLs begin with ORIGIN, such as https://hooks.example.com "
      + "or https://*.example.com; may be repeated"
  ) { AssetOrigin($0) }
  private static let allowsPrivate = Flag(
    "allow-private-webhook-addresses",
    help: "Also send the webhooks of jobs to addresses that are not public")
  private static let authority = Option<String>(
    "webhook-ca-file", value: "FILE",
    help: "The CA certificate to verify receivers with (default: the system's)")
  private static let mail = Option<MailAddress>(
    "mail-to", value: "ADDRESS", isRepeatable: true,
    expecting: "an address such as ada@example.com",
    help: "Send mail to ADDRESS when a job completes or fails; may be repeated"
  ) { MailAddress($0) }
  private static let program = Option<String>(
    "mail-program", value: "FILE",
    help: "The program that sends mail, with the options and input of sendmail (default: "
      + "/usr/sbin/sendmail)")

  /// The options of `serve` about notifications.
  static let options = [
    webhook.declaration, secret.declaration, host.declaration, allowsPrivate.declaration,
    authority.declaration, mail.declaration, program.declaration,
  ]

  /// Reads the settings from the arguments of `serve`.
  init(_ arguments: ParsedArguments, command: String) throws(UsageError) {
    webhooks = try arguments.values(Self.webhook)
    origins = try arguments.values(Self.host)
    secretFile = try arguments.value(Self.secret)
    authorityFile = try arguments.value(Self.authority)
    allowsPrivateAddresses = arguments.has(Self.allowsPrivate)
    mailTo = try arguments.values(Self.mail)
    mailProgram = try arguments.value(Self.program) ?? mailProgram
    guard secretFile != nil || (webhooks.isEmpty && origins.isEmpty) else {
      throw UsageError(
        "webhooks need --webhook-secret-file, so that receivers can verify them",
        on: webhooks.isEmpty ? "--webhook-host" : "--webhook", command: command)
    }
  }

  func receivers(of event: JobNotification.Event, notify: AssetURL?) -> [Receiver] {
    var urls = webhooks
    if let notify, !urls.contains(notify) { urls.append(notify) }
    let isMailed = event == .completed || event == .failed
    return urls.map { .webhook($0) } + (isMailed ? mailTo.map { .mail($0) } : [])
  }

  /// Whether every job has a receiver.
  var notifiesAlways: Bool { !webhooks.isEmpty || !mailTo.isEmpty }

  /// The reason why a job may not name a URL for its notifications; `nil` if it may.
  func refusal(of url: AssetURL) -> String? {
    guard !webhooks.contains(url), !origins.contains(where: { $0.contains(url) }) else {
      return nil
    }
    let others = origins.map(\.description).joined(separator: ", ")
    return "notify: webhooks to \(url.origin) are not allowed"
      + (others.isEmpty ? "" : ", only to \(others)")
      + ": the coordinator's operator can allow it with --webhook-host \(url.origin)"
  }

  /// Reads the secret.
  ///
  /// - Throws: ``StorageError`` if the file cannot be read, is open to other users, or is too short.
  package func secret() throws -> Data? {
    guard let secretFile else { return nil }
    var status = stat()
    guard stat(secretFile, &status) == 0 else {
      throw StorageError("cannot read the webhook secret", secretFile)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw StorageError(
        .unreadable,
        "other users of this host can read the webhook secret: \(secretFile): run "
          + "`chmod 600 \(secretFile)`")
    }
    let text = try String(contentsOfFile: secretFile, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard (16...4096).contains(text.utf8.count) else {
      throw StorageError(
        .unreadable,
        "the webhook secret must have 16 to 4096 bytes: \(secretFile): write one with "
          + "`openssl rand -hex 32`")
    }
    return Data(text.utf8)
  }
}
