import Timeline

/// An origin from which assets may be fetched: a scheme, a host or every host below a name, and a port.
public struct AssetOrigin: Hashable, Sendable, CustomStringConvertible {
  private let scheme: AssetURL.Scheme
  private let host: String
  private let port: UInt16
  /// Whether the origin stands for the hosts below the name instead of the name itself.
  private let isBelow: Bool
  /// The origin in its canonical form.
  public let description: String

  /// Parses `https://media.example.com`, `http://media.example.com:8080` or `https://*.example.com`. Returns `nil` for
  /// anything else, such as a URL with a path.
  public init?(_ text: String) {
    isBelow = text.contains("://*.")
    let plain = isBelow ? text.replacing("://*.", with: "://", maxReplacements: 1) : text
    guard let url = try? AssetURL(plain), url.target == "/", !text.contains("?"),
      !isBelow || !url.hasNumericHost
    else { return nil }
    (scheme, host, port) = (url.scheme, url.host, url.port)
    description = isBelow ? url.origin.replacing("://", with: "://*.") : url.origin
  }

  /// Whether a URL belongs to this origin.
  public func contains(_ url: AssetURL) -> Bool {
    guard url.scheme == scheme, url.port == port else { return false }
    return isBelow ? url.host.hasSuffix(".\(host)") : url.host == host
  }
}
