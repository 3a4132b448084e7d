import Arguments
import Foundation
import HTTP

/// The settings of commands that connect to a coordinator: each from its flag, its environment variable, the
/// configuration file or the default, in that order.
package struct FarmSettings: Sendable {
  /// The place of the token.
  package enum TokenSource: Hashable, Sendable {
    case file(String)
    /// The variable `SHEAF_TOKEN`.
    case variable(BearerToken)
  }

  /// The addresses of the farm's coordinators, which all have the same scheme and path.
  package let coordinators: Setting<[CoordinatorAddress]>
  /// The same addresses for requests.
  package let servers: ServerAddresses
  /// The token; `nil` if there is none.
  package let token: Setting<TokenSource?>
  /// The CA certificate to verify the coordinator with; `nil` for the system's authorities.
  package let authorityFile: Setting<String?>
  /// How long to wait for a coordinator that is unavailable.
  package let patience: Setting<Duration>
  /// The configuration file.
  package let file: SettingsFile

  /// The default time to wait for a coordinator that is unavailable: ten minutes.
  package static let standardPatience = Duration.seconds(600)

  private static let address = Option<CoordinatorAddress>(
    "coordinator", value: "URL", isRepeatable: true,
    help: "The coordinator's address (default: $SHEAF_COORDINATOR, else the configuration "
      + "file's, else \(CoordinatorAddress.standard.url)); repeat it for each coordinator of the "
      + "farm, so that another is used if one does not respond")
  private static let tokenFile = Option<String>(
    "token-file", value: "FILE",
    help: "The file that contains the token (default: the token in $SHEAF_TOKEN, else the "
      + "configuration file's file)")
  private static let authority = Option<String>(
    "ca-file", value: "FILE",
    help: "The CA certificate to verify the coordinator with (default: $SHEAF_CA_FILE, else "
      + "the configuration file's, else the system's)")
  private static let waiting = Option<Duration>(
    "patience", seconds: 0...604_800,
    help: "How long to wait for a coordinator that is unavailable (default: the "
      + "configuration file's, else 600)")

  /// The options. There is none for a token, because every process can see arguments.
  package static let options = [
    address.declaration, tokenFile.declaration, authority.declaration, waiting.declaration,
  ]

  /// The option that names the file with the token, with its dashes.
  package static var tokenFileOption: String { "--\(tokenFile.declaration.name)" }

  /// Reads the settings. Blocks briefly while it reads the configuration file.
  ///
  /// - Throws: ``UsageError`` or ``CommandFailure`` for an invalid value. A value that a stronger one replaces is not
  ///   checked, except for the lines of the file.
  package init(
    _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let file = try SettingsFile(in: environment, naming: Self.options.map(\.name))
    self.file = file
    let source = SettingSource(arguments: arguments, environment: environment, file: file)
    coordinators =
      try source.settings(Self.address, variable: "SHEAF_COORDINATOR")
      ?? Setting([.standard], .standard)
    servers = try Self.servers(coordinators)
    let authority = try source.setting(Self.authority, variable: "SHEAF_CA_FILE")
    authorityFile = Setting(authority?.value, authority?.origin ?? .standard)
    patience =
      try source.setting(Self.waiting, variable: nil) ?? Setting(Self.standardPatience, .standard)
    token = try Self.token(from: source)
  }

  private static func servers(
    _ coordinators: Setting<[CoordinatorAddress]>
  ) throws(CommandFailure) -> ServerAddresses {
    guard let servers = ServerAddresses(coordinators.value.map(\.url)) else {
      throw CommandFailure(
        .usage, "the addresses of the coordinators must have the same scheme and path",
        on: coordinators.value.map(\.shown).joined(separator: ", "),
        remedy: "correct \(coordinators.origin.description)")
    }
    return servers
  }

  /// The variable contains the token itself, and the others the path of a file.
  private static func token(from source: SettingSource) throws -> Setting<TokenSource?> {
    if let path = try source.flag(tokenFile) { return Setting(.file(path.value), path.origin) }
    if let text = source.text(ofVariable: "SHEAF_TOKEN") {
      guard let token = BearerToken(text) else {
        throw CommandFailure(
          .usage, "the variable contains no token", on: "SHEAF_TOKEN",
          remedy: "set it to a token from `sheaf-coordinator token create`")
      }
      return Setting(.variable(token), .environment("SHEAF_TOKEN"))
    }
    guard let path = try source.entry(tokenFile) else { return Setting(nil, .standard) }
    return Setting(.file(path.value), path.origin)
  }

  /// Reads the token, and checks that the certificate can be read. Blocks briefly.
  ///
  /// - Throws: ``CommandFailure``.
  package func credentials() throws(CommandFailure) -> Credentials {
    var credentials = Credentials()
    switch token.value {
    case .file(let path):
      guard access(path, R_OK) == 0 else {
        throw CommandFailure(
          .usage, "cannot read the token file", on: path.withoutTokens,
          remedy: "name a readable file with --token-file")
      }
      guard let found = BearerToken(file: path) else {
        throw CommandFailure(
          .usage, "the file contains no token", on: path.withoutTokens,
          remedy: "write a token from `sheaf-coordinator token create` into it")
      }
      (credentials.token, credentials.tokenFile) = (found, path)
    case .variable(let found): credentials.token = found
    case nil: break
    }
    credentials.authorityFile = authorityFile.value
    if let path = authorityFile.value, access(path, R_OK) != 0 {
      throw CommandFailure(
        .usage, "cannot read the CA certificate", on: path,
        remedy: "name a readable file with --ca-file or SHEAF_CA_FILE")
    }
    return credentials
  }
}
