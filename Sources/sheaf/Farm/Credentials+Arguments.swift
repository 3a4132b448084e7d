import Arguments
import Foundation
import HTTP

extension Credentials {
  private static let tokenOption = Option<String>(
    "token-file", value: "FILE",
    help: "The file that contains the token (default: the token in $SHEAF_TOKEN)")
  private static let authority = Option<String>(
    "ca-file", value: "FILE",
    help: "The CA certificate to verify the coordinator with (default: $SHEAF_CA_FILE)")

  /// The option that names the file with the token, with its dashes.
  static var tokenFileOption: String { "--\(tokenOption.declaration.name)" }

  /// The options of commands that connect to a coordinator. There is no option for a token, because every process can
  /// see arguments.
  static let options = [tokenOption.declaration, authority.declaration]

  /// Reads the credentials from the arguments and the environment.
  init(
    _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.init()
    if let path = try arguments.value(Self.tokenOption) {
      guard let token = BearerToken(file: path) else {
        throw CommandFailure(
          .usage, "the file contains no token", on: path,
          remedy: "write a token from `sheaf-coordinator token create` into it")
      }
      self.token = token
      tokenFile = path
    } else if let text = environment["SHEAF_TOKEN"], !text.isEmpty {
      guard let token = BearerToken(text) else {
        throw CommandFailure(
          .usage, "the variable contains no token", on: "SHEAF_TOKEN",
          remedy: "set it to a token from `sheaf-coordinator token create`")
      }
      self.token = token
    }
    authorityFile = try arguments.value(Self.authority) ?? environment["SHEAF_CA_FILE"]
    if let authorityFile, access(authorityFile, R_OK) != 0 {
      throw CommandFailure(
        .usage, "cannot read the CA certificate", on: authorityFile,
        remedy: "name a readable file with --ca-file or SHEAF_CA_FILE")
    }
  }
}
