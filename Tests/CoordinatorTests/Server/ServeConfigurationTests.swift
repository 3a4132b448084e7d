import Arguments
import CoordinatorSupport
import FarmAPI
import Foundation
import Scheduling
import Support
import Testing
import Timeline
import sheaf_coordinator

@Suite(.mayBlock) struct ServeConfigurationTests {
  @Test func `arguments are parsed`() throws {
    let configuration = try ServeConfiguration([
      "--data", "d", "--bind", "::1", "--port", "0", "--media-root", "a", "--media-root", "b",
      "--quiet", "--lease-seconds", "5", "--grace-seconds", "7", "--exit-with-parent",
      "--audit-share", "0.25", "--damage-search-after", "5", "--asset-url",
      "https://*.example.com", "--asset-url",
      "http://HOST:8080",
    ])
    #expect(configuration.data == "d")
    #expect(configuration.bind == "::1")
    #expect(configuration.port == 0)
    #expect(configuration.mediaRoots == ["a", "b"])
    #expect(configuration.logLevel == .quiet)
    #expect(configuration.scheduling.leaseDuration == .seconds(5))
    #expect(configuration.scheduling.gracePeriod == .seconds(7))
    #expect(configuration.exitsWithParent)
    #expect(configuration.auditShare == 0.25)
    #expect(configuration.damageSearchDelay == .seconds(5))
    #expect(try ServeConfiguration(["--data", "d"]).damageSearchDelay == .seconds(10))
    #expect(try ServeConfiguration(["--data", "d"]).auditShare == 0)
    #expect(
      configuration.sources.origins.map(\.description)
        == ["https://*.example.com", "http://host:8080"])
    #expect(!configuration.sources.allowsPrivateAddresses)
    let open = try ServeConfiguration(["--data", "d", "--allow-private-asset-addresses"])
    #expect(open.sources.allowsPrivateAddresses && open.sources.origins.isEmpty)
  }

  @Test(arguments: [
    [], ["--data"], ["--data", "d", "--port", "70000"], ["--data", "d", "--color"],
    ["--data", "d", "--lease-seconds", "0"], ["--data", "d", "--asset-url"],
    ["--data", "d", "--asset-url", "https://host/path"],
    ["--data", "d", "--asset-url", "ftp://host"], ["--data", "d", "--audit-share", "2"],
    ["--data", "d", "--audit-share", "some"], ["--data", "d", "--damage-search-after", "-1"],
    ["--data", "d", "--audit-share", "-0.1"], ["--data", "d", "--quiet", "--verbose"],
  ])
  func `invalid arguments are refused`(arguments: [String]) {
    #expect(throws: UsageError.self) { try ServeConfiguration(arguments) }
  }

  @Test(arguments: [["serve"], ["serve", "--port", "x"], ["sing"], []])
  func `an invalid command line exits with code 2`(arguments: [String]) throws {
    let outcome = try Program.coordinator.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.hasPrefix("sheaf-coordinator: "))
  }

  @Test(arguments: [["--help"], ["serve", "--help"]])
  func `help shows an example`(arguments: [String]) throws {
    let outcome = try Program.coordinator.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.standardOutput.contains(#/\nexamples?:\s+sheaf-coordinator /#))
  }

  @Test func `every command has help, completions, a manual and examples that parse`() {
    #expect(syntaxProblems(of: CoordinatorCommands.program) == [])
  }

  @Test(arguments: [
    (["serve", "--data=d", "--port=x"], "--port must be a whole number from 0 to 65535: \"x\""),
    (["serve", "--data=d", "--tls-key=k"], "a certificate and its key must be given together"),
    (["token", "create", "--data=d", "--role=king"], "--role must be one of submitter, worker, "),
    (["token", "melt"], "unknown command: token melt: see `sheaf-coordinator token --help`"),
    (["forget", "--data=d"], "missing option: --worker NAME or --since TIME"),
    (["backup", "--data=d"], "missing option: --to FILE: see `sheaf-coordinator backup --help`"),
  ])
  func `every command reports invalid arguments in the same way`(
    arguments: [String], message: String
  ) throws {
    let outcome = try Program.coordinator.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.hasPrefix("sheaf-coordinator: \(message)"))
  }

  @Test func `an option may have its value after an equals sign`() throws {
    let configuration = try ServeConfiguration(["--data=d", "--port=0", "--host=farm.example"])
    #expect(configuration.data == "d" && configuration.port == 0)
    #expect(configuration.hosts == ["farm.example"])
  }
}
