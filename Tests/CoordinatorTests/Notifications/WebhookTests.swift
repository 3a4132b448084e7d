import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Timeline
import sheaf_coordinator

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct WebhookTests {
  private let directory: TemporaryDirectory
  private let receiver: WebhookReceiver

  init() throws {
    directory = try TemporaryDirectory()
    receiver = try WebhookReceiver()
  }

  /// Settings with one webhook for all jobs.
  private func settings(_ url: String) throws -> NotificationSettings {
    var settings = try NotificationSettings.signed(in: directory)
    settings.webhooks = [try AssetURL(url)]
    return settings
  }

  @Test func `the events of a job arrive once each, signed, with steps of progress`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/ok"))
    let job = try await notified.submit()
    let worker = try await notified.farm.register()
    try await notified.farm.finish(job, by: worker)
    await notified.deliver()
    let requests = try receiver.requests()
    #expect(requests.allSatisfy { $0.isVerified })
    let said = try requests.map { try $0.notification() }
    #expect(said.compactMap(\.percent) == [25, 50, 75])
    #expect(said.map(\.event) == [.progress, .progress, .progress, .completed])
    #expect(said.allSatisfy { $0.job.id == job.id && $0.job.name == "cut" })
    #expect(said.last?.job.state == .completed)
    #expect(requests.map { $0.headers["sheaf-delivery"] } == said.map(\.id))
    #expect(requests.map { $0.headers["sheaf-event"] } == said.map(\.event.rawValue))
    #expect(Set(said.map(\.id)).count == 4)
    await notified.deliver(after: 7 * 86400)
    #expect(try receiver.requests().count == 4)
    let deliveries = try await notified.deliveries(of: job)
    #expect(deliveries.allSatisfy { $0.state == .delivered && $0.status == 204 })
    #expect(deliveries.map(\.attempts) == [1, 1, 1, 1])
  }

  @Test func `a failed and a cancelled job send events`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/ok"))
    let failed = try await notified.submit(name: "fails")
    let lease = try await notified.farm.lease(notified.farm.register())
    let report = FailureReport(code: "broken", message: "cannot encode", isPermanent: true)
    _ = try await notified.farm.post("/leases/\(lease.token)/failure", report)
    #expect(try await notified.farm.end(of: failed).state == .failed)
    let cancelled = try await notified.cancelled()
    await notified.deliver()
    let said = try receiver.requests().map { try $0.notification() }
    #expect(said.map(\.event) == [.failed, .cancelled])
    #expect(said.map(\.job.id) == [failed.id, cancelled.id])
    #expect(said.first?.job.failure?.message.contains("cannot encode") == true)
  }

  @Test func `a receiver that is down gets the same delivery when it is back`() async throws {
    let port = receiver.port
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/ok"))
    receiver.stop()
    let job = try await notified.cancelled()
    await notified.deliver()
    let first = try #require(try await notified.deliveries(of: job).first)
    #expect(first.state == .pending && first.attempts == 1 && first.error != nil)
    // Not before it is due.
    await notified.deliver(after: 29)
    #expect(try await notified.deliveries(of: job).first?.attempts == 1)
    await notified.deliver(after: 1)
    #expect(try await notified.deliveries(of: job).first?.attempts == 2)
    let back = try WebhookReceiver(port: port)
    await notified.deliver(after: 120)
    let last = try #require(try await notified.deliveries(of: job).first)
    #expect(last.state == .delivered && last.attempts == 3 && last.error == nil)
    #expect(try back.requests().map { $0.headers["sheaf-delivery"] } == [first.id])
    #expect(try back.requests().allSatisfy(\.isVerified))
  }

  @Test func `a receiver that never accepts a delivery is given up after a day`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/status/500"))
    let job = try await notified.cancelled()
    await notified.deliver()
    for pause in [30, 120, 600, 1800, 3600, 10_800, 21_600] as [Double] {
      await notified.deliver(after: pause)
      #expect(try await notified.deliveries(of: job).first?.state == .pending)
    }
    await notified.deliver(after: 50_400)
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.state == .failed && delivery.attempts == 9 && delivery.status == 500)
    await notified.deliver(after: 7 * 86400)
    #expect(try receiver.requests().count == 9)
    #expect(try Set(receiver.requests().map { $0.headers["sheaf-delivery"] }).count == 1)
  }

  @Test func `a receiver that wants no more gets no more tries`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/status/410"))
    let job = try await notified.cancelled()
    await notified.deliver()
    #expect(try await notified.deliveries(of: job).map(\.state) == [.failed])
  }

  @Test func `a redirect is not followed`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/redirect"))
    let job = try await notified.cancelled()
    await notified.deliver()
    #expect(try receiver.requests().map(\.path) == ["/redirect"])
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.state == .pending && delivery.status == 302)
    #expect(delivery.error?.contains("redirect") == true)
  }

  @Test func `a slow receiver delays neither the farm nor other receivers`() async throws {
    let other = try WebhookReceiver()
    var settings = try settings(receiver.origin + "/slow")
    settings.webhooks.append(try AssetURL(other.origin + "/ok"))
    let notified = try await NotifiedFarm(settings)
    let job = try await notified.cancelled()
    let delivering = Task { await notified.deliver() }
    try await eventually("the other receiver gets its request") { try !other.requests().isEmpty }
    try await eventually("the slow receiver gets its request") { try !receiver.requests().isEmpty }
    #expect(try await notified.deliveries(of: job).count == 2)
    try receiver.release()
    await delivering.value
    #expect(try await notified.deliveries(of: job).map(\.state) == [.delivered, .delivered])
  }

  @Test func `later notifications do not wait for a slow receiver`() async throws {
    let other = try WebhookReceiver()
    var settings = try settings(receiver.origin + "/slow")
    settings.webhooks.append(try AssetURL(other.origin + "/ok"))
    let notified = try await NotifiedFarm(settings)
    _ = try await notified.cancelled()
    let first = Task { await notified.deliver() }
    try await eventually("both receivers get a request") {
      try !other.requests().isEmpty && !receiver.requests().isEmpty
    }
    let job = try await notified.cancelled()
    let second = Task { await notified.deliver() }
    try await eventually("the other receiver gets the second request") {
      try other.requests().count == 2
    }
    #expect(try receiver.requests().count == 1)
    try receiver.release()
    await first.value
    await second.value
    await notified.deliver()
    #expect(try await notified.deliveries(of: job).map(\.state) == [.delivered, .delivered])
    #expect(try receiver.requests().count == 2)
  }

  @Test func `a long response is an ordinary response`() async throws {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/long"))
    let job = try await notified.cancelled()
    await notified.deliver()
    #expect(try await notified.deliveries(of: job).map(\.state) == [.delivered])
  }

  @Test func `a request that takes too long is tried again`() async throws {
    var settings = try settings(receiver.origin + "/slow")
    settings.timeout = .seconds(5)
    let notified = try await NotifiedFarm(settings)
    let job = try await notified.cancelled()
    await notified.deliver()
    #expect(try await notified.deliveries(of: job).map(\.state) == [.pending])
    try receiver.release()
    await notified.deliver(after: 30)
    #expect(try await notified.deliveries(of: job).map(\.state) == [.delivered])
  }

  @Test func `a receiver needs a certificate that an authority signed for its address`()
    async throws
  {
    let certificates = try Certificates(in: directory.path)
    let secure = try WebhookReceiver(
      certificate: (certificates.path("server.pem"), certificates.path("server.key")))
    for (authority, state) in [
      ("other.pem", NotificationDelivery.State.pending), ("ca.pem", .delivered),
    ] {
      var settings = try settings(secure.origin + "/ok")
      settings.authorityFile = certificates.path(authority)
      let notified = try await NotifiedFarm(settings)
      let job = try await notified.cancelled()
      await notified.deliver()
      #expect(try await notified.deliveries(of: job).map(\.state) == [state])
    }
    #expect(try secure.requests().count == 1)
  }

  @Test func `a replayed or changed request is rejected by the documented verification`()
    async throws
  {
    let notified = try await NotifiedFarm(try settings(receiver.origin + "/ok"))
    _ = try await notified.cancelled()
    await notified.deliver()
    let request = try #require(try receiver.requests().first)
    let script = """
      import json, sys
      sys.path.insert(0, sys.argv[1])
      sys.dont_write_bytecode = True
      from verify_webhook import verify
      request = json.loads(sys.argv[2])
      headers = {"Sheaf-" + name: request["headers"]["sheaf-" + name.lower()]
                 for name in ("Timestamp", "Signature")}
      body, time = request["body"].encode(), int(headers["Sheaf-Timestamp"])
      print(verify(b"0123456789abcdef-secret", headers, body, time + 299),
            verify(b"0123456789abcdef-secret", headers, body, time + 301),
            verify(b"0123456789abcdef-secret", headers, body + b" ", time),
            verify(b"another secret", headers, body, time),
            verify(b"0123456789abcdef-secret",
                   {**headers, "Sheaf-Timestamp": str(time + 1)}, body, time))
      """
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let output = try Tool.run(Tool.python, ["-c", script, WebhookReceiver.examples, text])
    #expect(String(decoding: output, as: UTF8.self) == "True False False False False\n")
  }

  @Test func `pending deliveries survive a restart`() async throws {
    let port = receiver.port
    let settings = try settings(receiver.origin + "/ok")
    receiver.stop()
    var id: String?
    do {
      let notified = try await NotifiedFarm(settings, in: directory, ledger: .onDisk)
      let job = try await notified.cancelled()
      await notified.deliver()
      id = try await notified.deliveries(of: job).first?.id
      await notified.farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let back = try WebhookReceiver(port: port)
    let notified = try await NotifiedFarm(settings, in: directory, ledger: .onDisk)
    await notified.deliver(after: 60)
    #expect(try back.requests().map { $0.headers["sheaf-delivery"] } == [id])
  }
}
