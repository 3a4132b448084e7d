import FarmAPI
import Foundation
import HTTP
import Processes
import Support
import Testing
import sheaf

/// `sheaf config`, and the configuration file of the other commands.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ConfigCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path("sheaf"), withIntermediateDirectories: true)
  }

  private var path: String { folder.path("sheaf/config") }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  private func sheaf(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws -> Program.Outcome {
    let environment = ["XDG_CONFIG_HOME": folder.path, "SHEAF_COORDINATOR": "", "SHEAF_TOKEN": ""]
    return try Program.sheaf.run(
      arguments, environment: environment.merging(variables) { $1 })
  }

  @Test func `each setting is listed with its origin`() throws {
    try write("coordinator = http://file:1\npatience = 30\n")
    let outcome = try sheaf(
      ["config", "--ca-file", "farm.pem", "--json"], ["SHEAF_COORDINATOR": "http://variable:2"])
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let listing = try FarmCoding.decode(
      SettingListing.self, from: Data(outcome.standardOutput.utf8))
    #expect(listing.file == path && listing.fileExists)
    let origins = Dictionary(uniqueKeysWithValues: listing.settings.map { ($0.name, $0.origin) })
    #expect(origins["coordinator"] == "environment")
    #expect(origins["patience"] == "file")
    #expect(origins["ca-file"] == "flag")
    #expect(origins["token-file"] == "default")
    let text = try sheaf(["config"]).standardOutput
    #expect(text.contains("http://file:1"), "\(text)")
    #expect(text.contains("\(path):1"), "\(text)")
    #expect(text.contains("configuration file: \(path)\n"), "\(text)")
  }

  @Test(arguments: [40, 80, 200])
  func `the list fits the terminal`(columns: Int) throws {
    let terminal = try PseudoTerminal(columns: columns)
    let process = try terminal.start(
      .sheaf, ["config", "--coordinator", "https://a-long-name-of-a-farm.example.com:7420"],
      environment: ["XDG_CONFIG_HOME": "/nowhere"])
    let (ending, text) = try terminal.text(of: process)
    #expect(ending == .exited(0), "\(text)")
    let screen = TerminalScreen(text, columns: columns)
    #expect(screen.wraps == 0, "\(text)")
    #expect(text.contains("coordinator") && text.contains("FROM"), "\(text)")
  }

  @Test func `a command uses the coordinator and the token that the file names`() async throws {
    var router = Router()
    router.get("/api/v1/jobs") { request in
      guard request.head.headers["Authorization"] == "Bearer sheaf_ada" else {
        throw HTTPError(
          .unauthorized, type: ProblemType.unauthorized.rawValue, detail: "no token")
      }
      return .json(data: try FarmCoding.encode([JobStatus]()))
    }
    let server = try Server(ServerConfiguration(), router: router)
    try write("coordinator = http://127.0.0.1:\(server.port)\ntoken-file = ada.token\n")
    try Data("sheaf_ada\n".utf8).write(to: URL(fileURLWithPath: folder.path("sheaf/ada.token")))
    let outcome = try sheaf(["jobs"])
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let other = try sheaf(["jobs"], ["SHEAF_TOKEN": "sheaf_bob"])
    #expect(other.status == 5, "\(other.standardError)")
    await server.shutdown(grace: .zero)
  }

  @Test func `an invalid file stops a command with one message`() throws {
    try write("coordinator = http://127.0.0.1:1\ntokenfile = ada.token\n")
    let outcome = try sheaf(["jobs"])
    #expect(outcome.status == 2)
    #expect(
      outcome.standardError.hasPrefix(
        "sheaf: unknown setting: \(path):2: tokenfile: did you mean token-file? "),
      "\(outcome.standardError)")
    #expect(outcome.standardError.split(separator: "\n").count == 1)
  }
}
