import Arguments
import Foundation
import HTTP
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct ConfigurationTests {
  private func request(
    _ arguments: String..., environment: [String: String] = ["TMPDIR": "/tmp"]
  ) throws -> Configuration? {
    try Self.configuration(arguments, environment: environment)
  }

  /// The configuration that the arguments request; `nil` if they request a text.
  private static func configuration(
    _ arguments: [String], environment: [String: String]
  ) throws -> Configuration? {
    guard case .run(let parsed) = try Configuration.program.request(arguments) else { return nil }
    return try Configuration(parsed, environment: environment, hostName: "host")
  }

  @Test func `only the coordinator is required`() throws {
    let configuration = try #require(try request("--coordinator", "http://farm:7420/"))
    #expect(configuration.coordinators.all == ["http://farm:7420"])
    #expect(configuration.name == "host")
    #expect(configuration.host == "host")
    #expect(configuration.cacheDirectory == "/tmp")
    #expect(configuration.cacheByteLimit == 1 << 30)
    #expect(!configuration.exitsWithParent)
  }

  @Test func `the coordinator's address comes from the option or the environment`() throws {
    let environment = ["TMPDIR": "/tmp", "SHEAF_COORDINATOR": "https://farm:7420"]
    #expect(try request(environment: environment)?.coordinators.all == ["https://farm:7420"])
    let named = try request("--coordinator", "http://other", environment: environment)
    #expect(named?.coordinators.all == ["http://other"])
  }

  @Test func `several coordinators come from repeated options or from one variable`() throws {
    let environment = ["TMPDIR": "/tmp", "SHEAF_COORDINATOR": " https://a:1/  https://b:2 "]
    #expect(
      try request(environment: environment)?.coordinators.all == ["https://a:1", "https://b:2"])
    let named = try request(
      "--coordinator", "http://c", "--coordinator=http://d", environment: environment)
    #expect(named?.coordinators.all == ["http://c", "http://d"])
  }

  @Test func `every option is parsed`() throws {
    let expected = try Configuration(
      coordinators: ["http://a:1"], slots: 3, name: "n", cacheDirectory: "/",
      cacheByteLimit: 1 << 25, memory: 1 << 32, slotMemory: 1 << 31, exitsWithParent: true,
      exitConditions: ExitConditions(idleTime: .seconds(60), lifetime: .seconds(3600)),
      host: "host")
    #expect(
      try request(
        "--coordinator=http://a:1", "--slots", "3", "--name", "n", "--cache", "/",
        "--cache-size=33554432", "--memory", "4294967296", "--slot-memory", "2147483648",
        "--exit-with-parent", "--exit-when-idle", "60", "--max-lifetime=3600")
        == expected)
  }

  @Test(arguments: [
    ([], "missing option: --coordinator URL"),
    (["--coordinator"], "the option needs a value: --coordinator"),
    (["--coordinator", "farm"], "the coordinator must be an http or https URL: farm"),
    (
      ["--coordinator", "http://a", "--coordinator", "b"],
      "the coordinator must be an http or https URL: b"
    ),
    (
      ["--coordinator", "http://a", "--coordinator", "https://a"],
      "the addresses of the coordinators must have the same scheme and path: http://a, https://a: "
    ),
    (
      ["--coordinator", "http://a", "--slots", "0"],
      "--slots must be a whole number from 1 to 256: \"0\""
    ),
    (
      ["--coordinator", "http://a", "--slots", "x"],
      "--slots must be a whole number from 1 to 256: \"x\""
    ),
    (
      ["--coordinator", "http://a", "--cache-size", "5"],
      "--cache-size must be a whole number of bytes from 16777216 to 1125899906842624: \"5\""
    ),
    (
      ["--coordinator", "http://a", "--slot-memory", "5"],
      "--slot-memory must be a whole number of bytes from 1073741824 to 1125899906842624: \"5\""
    ),
    (
      ["--coordinator", "http://a", "--memory", "5"],
      "--memory must be a whole number of bytes from 67108864 to 1125899906842624: \"5\""
    ),
    (
      ["--coordinator", "http://a", "--exit-when-idle", "0"],
      "--exit-when-idle must be a whole number of seconds from 1 to 604800: \"0\""
    ),
    (
      ["--coordinator", "http://a", "--max-lifetime", "1.5"],
      "--max-lifetime must be a whole number of seconds from 1 to 31536000: \"1.5\""
    ),
    (
      ["--coordinator", "http://a", "--cache", "/dev/null/cache"],
      "cannot write to the cache directory"
    ),
    (["--coordinator", "http://a", "--name", ""], "--name must be a non-empty string: \"\""),
    (["extra"], "unexpected argument: extra"),
    (["--token=sheaf_secret"], "unknown option: --token: "),
    (
      ["--coordinator", "https://a", "--token-file", "/none"],
      "cannot read the token file: /none"
    ),
    (
      ["--coordinator", "https://a", "--token-file", "/dev/null"],
      "the file contains no token: /dev/null"
    ),
    (["--coordinator", "https://a", "--ca-file", "/none"], "cannot read the file: /none"),
    (
      ["--coordinator", "https://a", "--client-key", "/dev/null"],
      "a client certificate and its key must be given together"
    ),
  ])
  func `an invalid option is rejected by name`(arguments: [String], message: String) {
    let error = #expect(throws: (any Error).self) {
      try Self.configuration(arguments, environment: [:])
    }
    #expect(error is UsageError || error is ConfigurationError)
    #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "none")")
  }

  @Test func `a token comes from a file or the environment`() throws {
    let scratch = try TemporaryDirectory()
    try Data("sheaf_abc\n".utf8).write(to: URL(fileURLWithPath: scratch.path("token")))
    let byFile = try request(
      "--coordinator", "https://a", "--token-file", scratch.path("token"),
      environment: ["TMPDIR": "/tmp", "SHEAF_TOKEN": "sheaf_other"])
    let byEnvironment = try request(
      "--coordinator", "https://a", environment: ["TMPDIR": "/tmp", "SHEAF_TOKEN": "sheaf_abc"])
    for configuration in [byFile, byEnvironment] {
      let configuration = try #require(configuration)
      #expect(configuration.credentials.token == BearerToken("sheaf_abc"))
      #expect(!"\(configuration)".contains("abc"))
    }
  }

  @Test func `a configuration outside its limits is rejected`() throws {
    func configuration(
      slots: Int = 1, name: String = "n", cache: Int64 = 1 << 30, memory: UInt = 1 << 30
    ) throws -> Configuration {
      try Configuration(
        coordinators: ["http://a"], slots: slots, name: name, cacheDirectory: "/tmp",
        cacheByteLimit: cache, slotMemory: memory)
    }
    _ = try configuration()
    #expect(throws: ConfigurationError.self) { try configuration(slots: 0) }
    #expect(throws: ConfigurationError.self) { try configuration(slots: 257) }
    #expect(throws: ConfigurationError.self) { try configuration(name: "") }
    #expect(throws: ConfigurationError.self) { try configuration(cache: 5) }
    #expect(throws: ConfigurationError.self) { try configuration(memory: 5) }
  }

  @Test func `help takes precedence over invalid options`() throws {
    #expect(try request("--slots", "0", "--help") == nil)
    #expect(Configuration.program.helpText.contains("example:"))
  }

  @Test func `the program has help, completions, a manual and examples that parse`() {
    #expect(syntaxProblems(of: Configuration.program) == [])
  }
}
