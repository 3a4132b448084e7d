/// An asset would exceed its submitter's quota of bytes.
struct AssetQuotaError: Error, Hashable, CustomStringConvertible {
  let owner: String
  /// Bytes of the submitter's assets.
  let used: Int64
  /// Bytes of the rejected asset, if known.
  let needed: Int64?
  /// The quota in bytes.
  let quota: Int64

  var description: String {
    let more = needed.map { ", and this asset has \($0)" } ?? ""
    return "\(owner) has \(used) bytes of assets\(more): the limit is \(quota) "
      + "(--max-asset-bytes-per-submitter): wait until assets that no job uses are removed, or ask "
      + "the coordinator's operator to raise the limit"
  }
}
