import Foundation
import HTTP
import Support
import Testing
import sheaf_worker

struct ConfigurationTests {
  private func request(
    _ arguments: String..., environment: [String: String] = ["TMPDIR": "/tmp"]
  ) throws(ConfigurationError) -> Configuration.Request {
    try Configuration.request(arguments, environment: environment, hostName: "host")
  }

  @Test func `only the coordinator is required`() throws {
    guard case .run(let configuration) = try request("--coordinator", "http://farm:7420/") else {
      Issue.record("no configuration")
      return
    }
    #expect(configuration.coordinator == "http://farm:7420")
    #expect(configuration.name == "host")
    #expect(configuration.cacheDirectory == "/tmp")
    #expect(configuration.cacheByteLimit == 1 << 30)
    #expect(!configuration.exitsWithParent)
  }

  @Test func `every option is parsed`() throws {
    let expected = try Configuration(
      coordinator: "http://a:1", slots: 3, name: "n", cacheDirectory: "/",
      cacheByteLimit: 1 << 25, memory: 1 << 32, slotMemory: 1 << 31, exitsWithParent: true)
    #expect(
      try request(
        "--coordinator=http://a:1", "--slots", "3", "--name", "n", "--cache", "/",
        "--cache-size=33554432", "--memory", "4294967296", "--slot-memory", "2147483648",
        "--exit-with-parent")
        == .run(expected))
  }

  @Test(arguments: [
    ([], "missing option: --coordinator URL"),
    (["--coordinator"], "the option needs a value: --coordinator"),
    (["--coordinator", "farm"], "the coordinator must be an http or https URL: farm"),
    (
      ["--coordinator", "http://a", "--slots", "0"], "the number of slots must be from 1 to 256: 0"
    ),
    (["--coordinator", "http://a", "--slots", "x"], "--slots must be a whole number: \"x\""),
    (["--coordinator", "http://a", "--cache-size", "5"], "the cache is too small: 5 bytes"),
    (["--coordinator", "http://a", "--memory", "5"], "the memory is too small: 5 bytes"),
    (["--coordinator", "http://a", "--slot-memory", "5"], "a slot's memory is too small: 5 bytes"),
    (
      ["--coordinator", "http://a", "--cache", "/dev/null/cache"],
      "cannot write to the cache directory"
    ),
    (["--coordinator", "http://a", "--name", ""], "the name must not be empty: --name"),
    (["extra"], "unknown argument: extra"),
    (["--token=sheaf_secret"], "unknown argument: --token: "),
    (
      ["--coordinator", "https://a", "--token-file", "/none"],
      "the file contains no token: /none"
    ),
    (["--coordinator", "https://a", "--ca-file", "/none"], "cannot read the file: /none"),
    (
      ["--coordinator", "https://a", "--client-key", "/dev/null"],
      "a client certificate and its key must be given together"
    ),
  ])
  func `an invalid option is rejected by name`(arguments: [String], message: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.request(arguments, environment: [:], hostName: "host")
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "none")")
  }

  @Test func `a token comes from a file or the environment`() throws {
    let scratch = try TemporaryDirectory()
    try Data("sheaf_abc\n".utf8).write(to: URL(fileURLWithPath: scratch.path("token")))
    let byFile = try request(
      "--coordinator", "https://a", "--token-file", scratch.path("token"),
      environment: ["TMPDIR": "/tmp", "SHEAF_TOKEN": "sheaf_other"])
    let byEnvironment = try request(
      "--coordinator", "https://a", environment: ["TMPDIR": "/tmp", "SHEAF_TOKEN": "sheaf_abc"])
    for case .run(let configuration) in [byFile, byEnvironment] {
      #expect(configuration.credentials.token == BearerToken("sheaf_abc"))
      #expect(!"\(configuration)".contains("abc"))
    }
  }

  @Test func `help takes precedence over invalid options`() throws {
    #expect(try request("--slots", "0", "--help") == .help)
    #expect(Configuration.help.contains("example:"))
  }
}
