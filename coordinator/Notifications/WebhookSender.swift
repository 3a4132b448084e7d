import Crypto
import FarmAPI
import Foundation
import HTTP
import Threads
import Timeline

/// Sends notifications to webhooks.
///
/// It connects only to addresses that were checked, verifies certificates, and follows no redirects. A request is signed:
/// `Sheaf-Signature` is `v1=` and the HMAC-SHA-256 of the time in `Sheaf-Timestamp`, a dot, and the body.
struct WebhookSender: Sendable {
  private let settings: NotificationSettings
  private let secret: Data
  private let client: Client

  /// The maximum number of bytes of a response that are kept.
  private static let responseLimit = 64 << 10

  init(_ settings: NotificationSettings, secret: Data) {
    self.settings = settings
    self.secret = secret
    client = Client(
      userAgent: "sheaf-coordinator/\(SheafVersion.current)",
      credentials: Credentials(authorityFile: settings.authorityFile),
      connectTimeout: min(settings.timeout, .seconds(5)))
  }

  /// Sends a notification once.
  ///
  /// - Returns: the status of the response.
  /// - Throws: ``NotificationFailure`` if the receiver did not accept it.
  func send(_ notification: StoredNotification, to url: AssetURL, at date: Date) async throws -> Int
  {
    let pin = try await BlockingThread.runUntilCancelled(named: "resolve") { [settings] in
      do {
        return try settings.admit(url)
      } catch let error as ResolutionError {
        throw NotificationFailure("\(error)")
      }
    }
    let timestamp = "\(Int(date.timeIntervalSince1970))"
    let signature = HMAC.sha256(of: Data("\(timestamp).".utf8) + notification.body, key: secret)
    let request = ClientRequest(
      .post, url.description,
      headers: [
        "Content-Type": "application/json", "Sheaf-Event": notification.event.rawValue,
        "Sheaf-Delivery": notification.id, "Sheaf-Timestamp": timestamp,
        "Sheaf-Signature": "v1=\(signature)",
      ],
      body: notification.body, timeout: settings.timeout, responseLimit: Self.responseLimit,
      pin: pin, dropsExcess: true)
    let response: ClientResponse
    do {
      response = try await client.send(request)
    } catch let error as ClientError {
      throw NotificationFailure(error.message.replacing("\(url)", with: url.origin))
    }
    let status = response.status.rawValue
    switch status {
    case 200..<300: return status
    case 300..<400:
      throw NotificationFailure(
        "the receiver answered with a redirect (\(response.status)), which is not followed: use the "
          + "final URL", status: status)
    case 410:
      throw NotificationFailure(
        "the receiver answered \(response.status): it wants no more", status: status, isFinal: true)
    default:
      throw NotificationFailure("the receiver answered \(response.status)", status: status)
    }
  }
}
