import FarmAPI
import HTTP

/// A submitter would have more bytes of assets than it may have.
struct AssetQuotaError: Error, Hashable, CustomStringConvertible {
  let owner: String
  /// Bytes that it has.
  let used: Int64
  /// Bytes of the asset that it has no room for, if that is known.
  let needed: Int64?
  /// Bytes that it may have.
  let quota: Int64

  var description: String {
    let more = needed.map { ", and this asset has \($0)" } ?? ""
    return "\(owner) has \(used) bytes of assets\(more): the limit is \(quota) "
      + "(--max-asset-bytes-per-submitter): wait until assets that no job uses are removed, or ask "
      + "whoever runs the coordinator for more"
  }
}

extension HTTPError {
  /// A submitter may not have so many bytes of assets.
  init(_ error: AssetQuotaError) {
    self.init(.contentTooLarge, type: ProblemType.assetQuota.rawValue, detail: "\(error)")
  }
}
