import HTTP
import Timeline

extension NotificationSettings {
  /// Checks a URL and all current addresses of its host. Blocks.
  ///
  /// - Throws: ``NotificationFailure``, or an error of ``resolve``.
  func admit(_ url: AssetURL) throws -> PinnedHost {
    if let refusal = refusal(of: url) { throw NotificationFailure(refusal) }
    let addresses = try resolve(url.host)
    guard allowsPrivateAddresses || webhooks.contains(url) || addresses.allSatisfy(\.isPublic)
    else {
      throw NotificationFailure(
        "\(url.host) has an address that is not public: allow it with "
          + "--allow-private-webhook-addresses")
    }
    return PinnedHost(host: url.host, port: url.port, addresses: addresses)
  }
}
