import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Timeline
import sheaf_coordinator

/// URLs that jobs name for their notifications.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct NotifyURLTests {
  private let directory: TemporaryDirectory
  private let receiver: WebhookReceiver

  init() throws {
    directory = try TemporaryDirectory()
    receiver = try WebhookReceiver()
  }

  private func settings(isPrivate: Bool) throws -> NotificationSettings {
    var settings = try NotificationSettings.signed(in: directory)
    settings.origins = [try #require(AssetOrigin(receiver.origin))]
    settings.allowsPrivateAddresses = isPrivate
    return settings
  }

  @Test func `a job's URL gets its events, and only its host is shown`() async throws {
    let notified = try await NotifiedFarm(try settings(isPrivate: true))
    let job = try await notified.cancelled(notify: receiver.origin + "/ok?key=secret")
    let other = try await notified.cancelled()
    await notified.deliver()
    #expect(try receiver.requests().map(\.path) == ["/ok?key=secret"])
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.receiver == receiver.origin && delivery.state == .delivered)
    #expect(try await notified.deliveries(of: other).isEmpty)
    let status: WebhookStatus = try await notified.farm.get("/webhooks")
    #expect(status.hosts == [receiver.origin] && status.pending == 0)
    #expect(status.deliveries.map(\.id) == [delivery.id])
  }

  @Test(arguments: ["http://elsewhere.example/hook", "ftp://127.0.0.1/x", "not a URL"])
  func `a URL that is not allowed is rejected with the submission`(url: String) async throws {
    let notified = try await NotifiedFarm(try settings(isPrivate: true))
    let response = try await notified.offer(notify: url)
    #expect(response.status == .badRequest)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains("notify: "))
  }

  @Test func `a URL whose host has an address that is not public gets nothing`() async throws {
    let notified = try await NotifiedFarm(try settings(isPrivate: false))
    let job = try await notified.cancelled(notify: receiver.origin + "/ok")
    await notified.deliver()
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.error?.contains("not public") == true)
    #expect(try receiver.requests().isEmpty)
  }

  @Test func `a coordinator does not start with a secret that others can read`() throws {
    var settings = try settings(isPrivate: true)
    let path = try #require(settings.secretFile)
    #expect(try settings.secret() == Data(WebhookReceiver.secret.utf8))
    chmod(path, 0o644)
    #expect(throws: StorageError.self) { try settings.secret() }
    chmod(path, 0o600)
    try "short".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: StorageError.self) { try settings.secret() }
    settings.secretFile = directory.path("missing")
    #expect(throws: StorageError.self) { try settings.secret() }
  }
}
