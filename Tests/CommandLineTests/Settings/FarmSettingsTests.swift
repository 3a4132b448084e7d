import Arguments
import Foundation
import Support
import Testing
import sheaf

/// The order of flags, environment variables, the configuration file and defaults.
@Suite(.mayBlock) struct FarmSettingsTests {
  private static let syntax = CommandSyntax(
    program: "sheaf", name: "test", summary: "Test", options: FarmSettings.options, examples: [])
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var path: String { folder.path("sheaf/config") }

  private func write(_ text: String, mode: Int = 0o600) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("sheaf"), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func settings(
    _ flags: [String] = [], _ variables: [String: String] = [:]
  ) throws -> FarmSettings {
    let environment = ["XDG_CONFIG_HOME": folder.path, "HOME": "/home/ada"]
    return try FarmSettings(
      try ParsedArguments(flags, syntax: Self.syntax),
      environment: environment.merging(variables) { $1 })
  }

  @Test func `a flag overrides a variable, which overrides the file, which overrides the default`()
    throws
  {
    let flags = ["--coordinator", "http://flag:1"]
    let variables = ["SHEAF_COORDINATOR": "http://variable:2/"]
    try write("coordinator = http://file:3\n")
    let first = try settings(flags, variables).coordinators
    #expect(first.value.map(\.url) == ["http://flag:1"] && first.origin == .flag("--coordinator"))
    let second = try settings([], variables).coordinators
    #expect(second.value.map(\.url) == ["http://variable:2"])
    #expect(second.origin == .environment("SHEAF_COORDINATOR"))
    let third = try settings().coordinators
    #expect(third.value.map(\.url) == ["http://file:3"] && third.origin == .file(path, line: 1))
    try FileManager.default.removeItem(atPath: path)
    let last = try settings()
    #expect(last.coordinators.value == [.standard] && !last.coordinators.isSet)
    #expect(last.token.value == nil && last.authorityFile.value == nil)
    #expect(last.patience.value == .seconds(600))
    #expect(!last.file.exists && last.file.path == path)
  }

  @Test func `the token comes from a flag's file, the variable or the file's file, in this order`()
    throws
  {
    try write("token-file = /etc/file.token\n")
    let variables = ["SHEAF_TOKEN": "sheaf_variable"]
    let flag = try settings(["--token-file", "flag.token"], variables).token
    #expect(flag.value == .file("flag.token") && flag.origin == .flag("--token-file"))
    let variable = try settings([], variables).token
    #expect(variable.origin == .environment("SHEAF_TOKEN"))
    let file = try settings().token
    #expect(file.value == .file("/etc/file.token") && file.origin == .file(path, line: 1))
  }

  @Test func `an empty variable is not set`() throws {
    let variables = ["SHEAF_COORDINATOR": "", "SHEAF_TOKEN": "", "SHEAF_CA_FILE": ""]
    let settings = try settings([], variables)
    #expect(!settings.coordinators.isSet && !settings.token.isSet && !settings.authorityFile.isSet)
  }

  @Test func `a value that another one overrides is not checked`() throws {
    let settings = try settings(
      ["--coordinator", "http://flag:1"], ["SHEAF_COORDINATOR": "nonsense"])
    #expect(settings.coordinators.value.map(\.url) == ["http://flag:1"])
  }

  @Test func `several coordinators come from repeated flags, or one variable or line with spaces`()
    throws
  {
    try write("coordinator = http://file:1   http://file:2/\n")
    let variables = ["SHEAF_COORDINATOR": "http://variable:1 http://variable:2"]
    let flags = ["--coordinator", "http://flag:1", "--coordinator=http://flag:2/"]
    #expect(
      try settings(flags, variables).coordinators.value.map(\.url) == [
        "http://flag:1", "http://flag:2",
      ])
    #expect(
      try settings([], variables).coordinators.value.map(\.url) == [
        "http://variable:1", "http://variable:2",
      ])
    let file = try settings()
    #expect(file.coordinators.value.map(\.url) == ["http://file:1", "http://file:2"])
    let row = SettingListing(file, environment: [:]).settings.first { $0.name == "coordinator" }
    #expect(row?.value == "http://file:1 http://file:2" && row?.place == "\(path):1")
  }

  @Test(arguments: [
    (["--coordinator", "http://a", "--coordinator", "https://ada:secret@b"], [:], "--coordinator"),
    ([], ["SHEAF_COORDINATOR": "http://a/farm http://b"], "$SHEAF_COORDINATOR"),
    ([], [:], ":1"),
  ])
  func `coordinators with different schemes or paths are rejected`(
    flags: [String], variables: [String: String], origin: String
  ) throws {
    try write("coordinator = http://a https://b\n")
    let failure = try #require(throws: CommandFailure.self) { try settings(flags, variables) }
    let line = try #require(failure.lines.first)
    #expect(failure.exitCode == .usage)
    #expect(line.contains("must have the same scheme and path: http://a"), "\(line)")
    #expect(line.hasSuffix(": correct \(origin)") || line.hasSuffix(origin), "\(line)")
    #expect(!line.contains("secret"))
  }

  @Test func `an invalid address among several is named`() throws {
    let error = #expect(throws: UsageError.self) {
      try settings([], ["SHEAF_COORDINATOR": "http://a farm"])
    }
    #expect(error.map { "\($0)".contains(#"must be an http or https URL"#) } == true)
    #expect(error.map { "\($0)".contains(#": "farm""#) } == true)
  }

  @Test(arguments: ["\n", "\r\n"])
  func `paths in the file begin at its directory, or at home`(end: String) throws {
    let lines = [
      "# of the farm", "", "  token-file=ada.token ", "ca-file = ~/farm.pem", "patience = 2m", "",
    ]
    try write(lines.joined(separator: end))
    let settings = try settings()
    #expect(settings.token.value == .file(folder.path("sheaf/ada.token")))
    #expect(settings.authorityFile.value == "/home/ada/farm.pem")
    #expect(settings.authorityFile.origin == .file(path, line: 4))
    #expect(settings.patience.value == .seconds(120))
  }

  @Test(arguments: [
    (
      "\ncoordinater = http://a:1", "unknown setting", ":2: coordinater",
      "did you mean coordinator?"
    ),
    ("color = no", "unknown setting", ":1: color", "coordinator, token-file, ca-file, patience"),
    ("token = sheaf_secret", "must not contain a token", ":1", "token-file"),
    ("token: sheaf_secret", "has no value", ":1", "name = value"),
    ("coordinator", "has no value", ":1", "name = value"),
    ("patience =", "has no value", ":1: patience", "give it one"),
    ("patience = 1\npatience = 2", "given twice", ":2: patience", "remove line 1 or 2"),
    ("patience = soon", "patience must be a whole number", ":1: \"soon\"", "correct the line"),
    ("coordinator = farm", "coordinator must be an http or https URL", ":1: \"farm\"", "correct"),
    (
      "coordinator = http://a farm", "coordinator must be an http or https URL", ":1: \"farm\"",
      "correct"
    ),
  ])
  func `an invalid line is named`(
    text: String, problem: String, place: String, remedy: String
  ) throws {
    try write(text)
    let failure = try #require(throws: CommandFailure.self) { try settings() }
    let line = try #require(failure.lines.first)
    #expect(failure.exitCode == .usage && failure.lines.count == 1)
    #expect(
      line.contains(problem) && line.contains(path + place) && line.contains(remedy), "\(line)")
    #expect(!line.contains("secret"))
  }

  @Test(arguments: [0o620, 0o602])
  func `a file that others can change is rejected`(mode: Int) throws {
    try write("patience = 1", mode: mode)
    let failure = try #require(throws: CommandFailure.self) { try settings() }
    #expect(failure.lines.first?.contains("other users can change") == true)
    #expect(failure.lines.first?.contains("chmod go-w \(path)") == true)
  }

  @Test func `a file that is no file is rejected`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let failure = try #require(throws: CommandFailure.self) { try settings() }
    #expect(failure.lines.first?.contains("cannot read the configuration file: \(path)") == true)
  }

  @Test func `no secret is listed`() throws {
    let secret = "sheaf_" + String(repeating: "x", count: 43)
    let listing = SettingListing(
      try settings(
        ["--coordinator", "http://ada:secret@farm:1"], ["SHEAF_TOKEN": secret, "NO_COLOR": "1"]),
      environment: ["NO_COLOR": "1"])
    let rows = Dictionary(uniqueKeysWithValues: listing.settings.map { ($0.name, $0) })
    #expect(rows["token"]?.value == "(hidden)" && rows["token"]?.place == "$SHEAF_TOKEN")
    #expect(rows["coordinator"]?.value == "http://…@farm:1")
    #expect(rows["coordinator"]?.origin == "flag")
    #expect(rows["color"]?.value == "no" && rows["color"]?.origin == "environment")
    #expect(rows["patience"]?.origin == "default" && rows["patience"]?.place == nil)
    #expect(!listing.table.lines.joined().contains("secret"))
    let misplaced = SettingListing(try settings(["--token-file", secret]), environment: [:])
    #expect(!misplaced.table.lines.joined().contains(secret))
  }
}
