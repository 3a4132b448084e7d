import Arguments
import FarmAPI
import HTTP
import Timeline

/// The sources from which the operator allows assets to be fetched. There are none by default.
package struct AssetSources: Sendable {
  /// The schemes, hosts and ports.
  package var origins: [AssetOrigin] = []
  /// Whether hosts may have addresses that are not public.
  package var allowsPrivateAddresses = false
  /// Resolves a host name. Blocks.
  package var resolve: @Sendable (String) throws -> [InternetAddress] = {
    try InternetAddress.resolve($0)
  }
  /// The minimum average rate of a download.
  package var pace = FetchPace()

  /// Allows no source.
  package init() {}

  private static let origin = Option<AssetOrigin>(
    "asset-url", value: "ORIGIN", isRepeatable: true,
    expecting: "a scheme and a host, such as https://media.example.com, https://*.example.com or "
      + "http://media.example.com:8080",
    help: "Fetch assets whose URLs begin with ORIGIN: https://media.example.com, "
      + "https://*.example.com, http://media.example.com:8080; may be repeated"
  ) { AssetOrigin($0) }
  private static let allowsPrivate = Flag(
    "allow-private-asset-addresses",
    help: "Also fetch from addresses that are not public, such as this host and its network")

  /// The options of `serve` about sources.
  static let options = [origin.declaration, allowsPrivate.declaration]

  /// Reads the sources from the arguments of `serve`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    origins = try arguments.values(Self.origin)
    allowsPrivateAddresses = arguments.has(Self.allowsPrivate)
  }

  /// The reason why a URL is refused, or `nil` if it is allowed. Recordings are allowed: they are the coordinator's own.
  func refusal(of url: AssetURL) -> String? {
    guard url.recording == nil else { return nil }
    guard !origins.contains(where: { $0.contains(url) }) else { return nil }
    let others = origins.map(\.description).joined(separator: ", ")
    return "fetching from \(url.origin) is not allowed"
      + (others.isEmpty ? "" : ", only from \(others)")
      + ": allow it with --asset-url \(url.origin) for sheaf-coordinator serve or sheaf render, "
      + "or use a file"
  }

  /// Checks a URL and all current addresses of its host, and returns the host with these addresses. Blocks.
  ///
  /// - Throws: ``JobError`` with `asset-not-allowed`, or an error of ``resolve``.
  package func admit(_ url: AssetURL) throws -> PinnedHost {
    if let refusal = refusal(of: url) { throw JobError(.assetNotAllowed, refusal) }
    let addresses = try resolve(url.host)
    if !allowsPrivateAddresses, addresses.contains(where: { !$0.isPublic }) {
      // The message omits the address, which would reveal the coordinator's network to the submitter.
      throw JobError(
        .assetNotAllowed,
        "\(url.host) has an address that is not public: allow it with "
          + "--allow-private-asset-addresses for sheaf-coordinator serve or sheaf render, "
          + "or use a file")
    }
    return PinnedHost(host: url.host, port: url.port, addresses: addresses)
  }
}
