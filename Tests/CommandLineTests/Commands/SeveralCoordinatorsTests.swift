import FarmAPI
import Foundation
import Support
import Synchronization
import Testing
import sheaf

/// Commands that know several coordinators of a farm.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SeveralCoordinatorsTests {
  /// Runs a command that knows several addresses.
  private func sheaf(
    _ arguments: [String], at addresses: [String], in farm: LosableFarm
  ) throws -> Program.Outcome {
    try Program.sheaf.run(
      arguments + addresses.flatMap { ["--coordinator", $0] }, in: farm.folder.path)
  }

  @Test func `a command uses the second address if nothing listens at the first`() throws {
    let farm = try LosableFarm(.open)
    let silent = try SilentPort()
    let addresses = ["http://127.0.0.1:\(silent.number)", farm.url]
    let submitted = try sheaf(["submit", "cut.json"], at: addresses, in: farm)
    #expect(submitted.status == 0, "\(submitted.standardError)")
    #expect(submitted.standardError.contains("waiting up to") == false)
    let listed = try Program.sheaf.run(
      ["jobs", "--json"],
      environment: ["SHEAF_COORDINATOR": addresses.joined(separator: " ")])
    let jobs = try FarmCoding.decode([JobStatus].self, from: Data(listed.standardOutput.utf8))
    #expect(
      jobs.map(\.id) == [submitted.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)])
    withExtendedLifetime(silent) {}
  }

  @Test(arguments: [FaultyProxy.Fault.loseAnswer, .swallow, .answer(502)])
  func `a submission that fails at one address creates one job through the next`(
    _ fault: FaultyProxy.Fault
  ) throws {
    let farm = try LosableFarm(.open)
    let isSubmission: @Sendable (ScriptedRequest) -> Bool = {
      $0.method == "POST" && $0.path.hasSuffix("/jobs")
    }
    let first = try farm.entrance { isSubmission($0) ? fault : nil }
    let second = try farm.entrance()
    let outcome = try sheaf(["submit", "cut.json"], at: [first.url, second.url], in: farm)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let posts = [first, second].map { $0.proxy.requests.filter(isSubmission) }
    #expect(posts.map(\.count) == [1, 1])
    #expect(Set(posts.joined().map { $0.headers["idempotency-key"] }).count == 1)
    #expect(try farm.jobs().count == 1)
  }

  @Test func `an interrupted upload and an interrupted download continue at the next address`()
    throws
  {
    let farm = try LosableFarm(.open)
    let worker = try farm.startWorker()
    let upload = try farm.entrance([.swallow]) { $0.method == "PUT" }
    let other = try farm.entrance()
    let submitted = try sheaf(["submit", "cut.json"], at: [upload.url, other.url], in: farm)
    #expect(submitted.status == 0, "\(submitted.standardError)")
    #expect(other.proxy.requests.contains { $0.method == "PUT" })
    let id = submitted.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try farm.sheaf(["watch", id]).status == 0)
    let download = try farm.entrance([.cutAnswer(after: 1500)]) { $0.path.hasSuffix("/output") }
    let fetched = try sheaf(
      ["fetch", id, "-o", "out.mp4"], at: [download.url, other.url], in: farm)
    #expect(fetched.status == 0, "\(fetched.standardError)")
    #expect(other.proxy.requests.contains { $0.path.hasSuffix("/output") })
    withExtendedLifetime(worker) {}
  }

  @Test func `a command that reaches no coordinator names all addresses, and how to continue`()
    throws
  {
    let farm = try LosableFarm(.open)
    let silent = [try SilentPort(), try SilentPort()]
    let dead = silent.map { "http://127.0.0.1:\($0.number)" }
    let outcome = try sheaf(["jobs"], at: dead, in: farm)
    #expect(outcome.status == 4)
    #expect(
      outcome.standardError.contains(
        "cannot reach the coordinator: \(dead[0]), \(dead[1]): start `sheaf-coordinator serve`"),
      "\(outcome.standardError)")
    let patient = try sheaf(["jobs", "--patience", "1"], at: dead, in: farm)
    #expect(patient.status == 4)
    #expect(
      patient.standardError.contains(
        "unavailable for 1 s (--patience): \(dead[0]), \(dead[1]): GET failed: \(dead[0])/api/v1"),
      "\(patient.standardError)")
    withExtendedLifetime(silent) {}
  }

  @Test func `a command that continues another one names all addresses`() throws {
    let farm = try LosableFarm(.open)
    let silent = try SilentPort()
    let dead = "http://127.0.0.1:\(silent.number)"
    let outcome = try sheaf(["workers", "--coordinator", farm.url], at: [dead], in: farm)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let missing = try sheaf(["drain", "nobody"], at: [farm.url, dead], in: farm)
    #expect(
      missing.standardError.contains(
        "see `sheaf workers --coordinator \(farm.url) --coordinator \(dead)`"),
      "\(missing.standardError)")
    withExtendedLifetime(silent) {}
  }

  @Test func `different schemes are a usage error`() throws {
    let farm = try LosableFarm(.open)
    let outcome = try sheaf(["jobs"], at: ["http://a", "https://a"], in: farm)
    #expect(outcome.status == 2)
    #expect(
      outcome.standardError.contains(
        "the addresses of the coordinators must have the same scheme and path: http://a, https://a"),
      "\(outcome.standardError)")
  }

  @Test func `the doctor checks every coordinator`() throws {
    let farm = try LosableFarm(.open)
    let silent = try SilentPort()
    let dead = "http://127.0.0.1:\(silent.number)"
    let outcome = try sheaf(["doctor", "--json"], at: [dead, farm.url], in: farm)
    #expect(outcome.status == 4, "\(outcome.standardError)")
    let report = try FarmCoding.decode(
      DiagnosisReport.self, from: Data(outcome.standardOutput.utf8))
    let checks = report.checks.filter { $0.check == "coordinator" }
    #expect(checks.map(\.state) == [.failed, .ok])
    #expect(checks.first?.message.hasPrefix("\(dead): nothing accepts connections") == true)
    #expect(checks.last?.message.hasPrefix("\(farm.url) answers in ") == true)
    #expect(report.checks.filter { $0.check == "token" }.map(\.state) == [.skipped, .ok])
    withExtendedLifetime(silent) {}
  }
}
