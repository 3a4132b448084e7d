import Arguments
import Foundation

/// The address of the coordinator: `--coordinator`, or `SHEAF_COORDINATOR`, or its default port on this host.
package struct CoordinatorAddress: ArgumentValue, Hashable {
  package static let expectation = "an http or https URL such as http://host:7420"
  /// The default address.
  package static let standard = "http://127.0.0.1:7420"
  /// The option that names it.
  package static let option = Option<CoordinatorAddress>(
    "coordinator", value: "URL",
    help: "The coordinator's address (default: $SHEAF_COORDINATOR, or \(standard))")

  /// The base URL, without a slash at its end.
  package let url: String

  package init?(argument: String) {
    guard let url = URL(string: argument), url.scheme == "http" || url.scheme == "https",
      let host = url.host, !host.isEmpty
    else { return nil }
    self.url = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
  }

  /// Reads the address from the arguments or the environment.
  package init(
    _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UsageError) {
    if let given = try arguments.value(Self.option) {
      self = given
      return
    }
    let text = environment["SHEAF_COORDINATOR"] ?? Self.standard
    guard let address = CoordinatorAddress(argument: text) else {
      throw UsageError(
        "SHEAF_COORDINATOR must be \(Self.expectation)", on: "\"\(text)\"",
        command: arguments.syntax.invocation)
    }
    self = address
  }
}
