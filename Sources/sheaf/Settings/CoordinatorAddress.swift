import Arguments
import Foundation

package struct CoordinatorAddress: ArgumentValue, Hashable {
  package static let expectation = "an http or https URL such as http://host:7420"
  /// The default address.
  package static let standard = CoordinatorAddress(url: "http://127.0.0.1:7420")

  /// The base URL, without a slash at its end.
  package let url: String

  private init(url: String) { self.url = url }

  package init?(argument: String) {
    guard let url = URL(string: argument), url.scheme == "http" || url.scheme == "https",
      let host = url.host, !host.isEmpty
    else { return nil }
    self.url = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
  }

  /// The URL for people, without a user name or password.
  package var shown: String {
    guard let at = url.lastIndex(of: "@"), let start = url.range(of: "://")?.upperBound, start <= at
    else { return url }
    return url[..<start] + "…" + url[at...]
  }
}
