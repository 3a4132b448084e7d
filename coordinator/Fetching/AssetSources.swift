import FarmAPI
import HTTP
import Timeline

/// The sources from which the operator allows assets to be fetched; none by default.
package struct AssetSources: Sendable {
  /// The schemes, hosts and ports.
  package var origins: [AssetOrigin] = []
  /// Whether hosts may be at addresses that are not public.
  package var allowsPrivateAddresses = false
  /// How a name becomes addresses. Blocks.
  package var resolve: @Sendable (String) throws -> [InternetAddress] = {
    try InternetAddress.resolve($0)
  }
  /// The lowest mean rate of a fetch.
  package var pace = FetchPace()

  /// Nowhere.
  package init() {}

  /// Takes an argument of `serve` with its value.
  ///
  /// - Returns: whether it is one of these.
  /// - Throws: ``UsageError`` if the value makes no sense.
  mutating func take(
    _ argument: String, _ value: () throws(UsageError) -> String
  ) throws(UsageError) -> Bool {
    switch argument {
    case "--asset-url":
      let text = try value()
      guard let origin = AssetOrigin(text) else {
        throw UsageError(
          "--asset-url '\(text)' is not a scheme and a host: write https://media.example.com, "
            + "https://*.example.com or http://media.example.com:8080")
      }
      origins.append(origin)
    case "--allow-private-asset-addresses": allowsPrivateAddresses = true
    default: return false
    }
    return true
  }

  static let usage = """
      --asset-url ORIGIN   fetch assets whose URLs begin with ORIGIN: https://media.example.com,
                           https://*.example.com, http://media.example.com:8080; may be repeated
      --allow-private-asset-addresses
                           fetch them from addresses that are not public, too: this host's, this network's
    """

  /// The reason why the URL itself is refused; `nil` if it is allowed.
  func refusal(of url: AssetURL) -> String? {
    guard !origins.contains(where: { $0.contains(url) }) else { return nil }
    let others = origins.map(\.description).joined(separator: ", ")
    return "nothing is fetched from \(url.origin)" + (others.isEmpty ? "" : ", but from \(others)")
      + ": allow it by --asset-url \(url.origin) of sheaf-coordinator serve or sheaf render, or name a "
      + "file"
  }

  /// The host of a URL with the addresses that it has now, of which every one has been looked at. Blocks.
  ///
  /// - Throws: ``JobError`` with `asset-not-allowed`; what ``resolve`` throws.
  package func admit(_ url: AssetURL) throws -> PinnedHost {
    if let refusal = refusal(of: url) { throw JobError(JobError.assetNotAllowed, refusal) }
    let addresses = try resolve(url.host)
    if !allowsPrivateAddresses, addresses.contains(where: { !$0.isPublic }) {
      // The address would tell the submitter about the coordinator's network.
      throw JobError(
        JobError.assetNotAllowed,
        "\(url.host) has an address that is not public: allow it by "
          + "--allow-private-asset-addresses of sheaf-coordinator serve or sheaf render, or name a file"
      )
    }
    return PinnedHost(host: url.host, port: url.port, addresses: addresses)
  }
}

extension JobError {
  /// The operator does not let an asset be fetched from its URL.
  package static let assetNotAllowed = "asset-not-allowed"
  /// An asset's URL does not give it.
  package static let assetUnreachable = "asset-unreachable"
  /// An asset has more bytes than one may have.
  package static let assetTooLarge = "asset-too-large"
}
