import CoordinatorSupport
import FarmAPI
import Foundation
import Support
import Testing
import sheaf_coordinator

/// Mail through a program that plays `sendmail`.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct MailTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Settings with a script that keeps its arguments and its input, and then ends with a code.
  private func settings(exitCode: Int = 0) throws -> NotificationSettings {
    let script = """
      #!/bin/sh
      printf '%s\\n' "$@" >> '\(directory.path("arguments"))'
      cat >> '\(directory.path("mail"))'
      exit $(cat '\(directory.path("code"))')
      """
    let program = directory.path("sendmail")
    _ = FileManager.default.createFile(
      atPath: program, contents: Data(script.utf8), attributes: [.posixPermissions: 0o700])
    try end(with: exitCode)
    var settings = NotificationSettings()
    settings.mailTo = [try #require(MailAddress("ada@example.com"))]
    settings.mailProgram = program
    return settings
  }

  /// Sets the exit code of the program.
  private func end(with code: Int) throws {
    try "\(code)".write(toFile: directory.path("code"), atomically: true, encoding: .utf8)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: directory.path(name), encoding: .utf8)
  }

  /// The headers of the mail, unfolded, and its decoded body.
  private func mail() throws -> (headers: [String], body: String) {
    let parts = try text("mail").components(separatedBy: "\n\n")
    let headers = parts[0].replacing("\n ", with: " ").components(separatedBy: "\n")
    let body = try #require(
      Data(base64Encoded: parts[1], options: .ignoreUnknownCharacters))
    return (headers, String(decoding: body, as: UTF8.self))
  }

  @Test func `a completed job sends a mail, a cancelled one does not`() async throws {
    let notified = try await NotifiedFarm(try settings())
    let job = try await notified.submit(name: "film")
    try await notified.farm.finish(job, by: notified.farm.register())
    _ = try await notified.cancelled()
    await notified.deliver()
    #expect(try text("arguments") == "-i\nada@example.com\n")
    let (headers, body) = try mail()
    #expect(headers.prefix(2) == ["To: ada@example.com", "Subject: Sheaf: film completed"])
    #expect(body.contains("Job: film\nId: \(job.id)\nState: completed\n"))
  }

  @Test func `a job's name cannot add a header, a recipient or an option`() async throws {
    let notified = try await NotifiedFarm(try settings())
    let name = "a\r\nBcc: eve@example.com\n\n-x =?UTF-8?Q?b?= \u{1F3AC}é"
    let job = try await notified.submit(name: name)
    try await notified.farm.finish(job, by: notified.farm.register())
    await notified.deliver()
    #expect(try text("arguments") == "-i\nada@example.com\n")
    let (headers, body) = try mail()
    let names = headers.map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "To", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
        "Auto-Submitted", "Sheaf-Delivery",
      ])
    #expect(headers.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
    #expect(body.split(separator: "\n").count { $0.hasPrefix("Bcc") } == 0)
    #expect(body.contains(#"Job: a\r\nBcc: eve@example.com"#))
  }

  @Test func `a mail that the program does not accept is tried again`() async throws {
    let notified = try await NotifiedFarm(try settings(exitCode: 75))
    let job = try await notified.submit()
    try await notified.farm.finish(job, by: notified.farm.register())
    await notified.deliver()
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.state == .pending && delivery.receiver == "mailto:ada@example.com")
    #expect(delivery.error?.contains("exit code 75") == true)
    try end(with: 0)
    await notified.deliver(after: 30)
    #expect(try await notified.deliveries(of: job).map(\.state) == [.delivered])
  }

  @Test func `a missing program is reported and tried again`() async throws {
    var settings = try settings()
    settings.mailProgram = directory.path("missing")
    let notified = try await NotifiedFarm(settings)
    let job = try await notified.submit()
    try await notified.farm.finish(job, by: notified.farm.register())
    await notified.deliver()
    let delivery = try #require(try await notified.deliveries(of: job).first)
    #expect(delivery.state == .pending && delivery.error != nil)
  }

  @Test(arguments: [
    "-oQ/tmp@example.com", "a b@example.com", "a@b@c", "a@", "", "a\nb@example.com", "\"a\"@b.c",
  ])
  func `an unusual address is rejected`(text: String) {
    #expect(MailAddress(text) == nil)
  }
}
