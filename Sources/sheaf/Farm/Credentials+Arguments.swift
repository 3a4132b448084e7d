import Foundation
import HTTP

extension Credentials {
  private static let tokenOption = Option<String>(
    "token-file", value: "FILE", help: "The file that has the token (default: $SHEAF_TOKEN)")
  private static let authority = Option<String>(
    "ca-file", value: "FILE",
    help: "The authority that vouches for the coordinator's certificate (default: $SHEAF_CA_FILE)")

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
          .usage, "there is no token in the file", on: path,
          remedy: "write what `sheaf-coordinator token create` printed into it")
      }
      self.token = token
      tokenFile = path
    } else if let text = environment["SHEAF_TOKEN"], !text.isEmpty {
      guard let token = BearerToken(text) else {
        throw CommandFailure(
          .usage, "there is no token in the variable", on: "SHEAF_TOKEN",
          remedy: "set it to what `sheaf-coordinator token create` printed")
      }
      self.token = token
    }
    authorityFile = try arguments.value(Self.authority) ?? environment["SHEAF_CA_FILE"]
    if let authorityFile, access(authorityFile, R_OK) != 0 {
      throw CommandFailure(
        .usage, "cannot read the file", on: authorityFile, remedy: "see --ca-file")
    }
  }
}
