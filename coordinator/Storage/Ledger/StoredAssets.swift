import FarmAPI
import Foundation
import Preparation

/// The assets of a job as the ledger stores them, to be decoded outside the farm's thread.
package enum StoredAssets: Sendable {
  /// The job has none.
  case none
  /// They are listed with the submission.
  case submission(StoredSubmission)
  /// They are in a `JobSubmission`, which an earlier version stored as a whole.
  case wholeSubmission(Data, fetched: [String: AssetReference])

  /// The size of the encoded assets, in bytes.
  package var byteCount: Int {
    switch self {
    case .none: 0
    case .submission(let submission): submission.assets.count
    case .wholeSubmission(let old, _): old.count
    }
  }

  /// Decodes the assets that are on this host, by their names in the project.
  package func decoded() throws -> [(name: String, asset: AssetReference)] {
    switch self {
    case .none: return []
    case .submission(let submission):
      return try submission.facts().assets.compactMap { asset in
        asset.reference.map { (asset.shown, $0) }
      }
    case .wholeSubmission(let old, let fetched):
      return try FarmCoding.decode(JobSubmission.self, from: old).assets
        .merging(fetched) { _, fetched in fetched }
        .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }
}
