import Crypto
import Foundation
import Synchronization

/// The room that an owner's unfinished uploads take up, which counts against the owner's limits.
extension AssetStore {
  /// An upload that a request announces before it is checked against its owner's limits.
  struct Announcement: Hashable {
    let path: String
    let owner: String
    let total: Int64
  }

  /// The other unfinished uploads of an owner.
  struct Unfinished: Hashable, Sendable {
    var count = 0
    /// Their bytes. Uploads in progress count with their full size.
    var byteCount: Int64 = 0
  }

  /// Announces an upload, and returns what else its owner has not finished. Of two requests at the same time, the later
  /// one counts the earlier one. Blocks.
  ///
  /// - Returns: a number to pass to ``retract(_:)`` once the upload is open or refused, and the other uploads.
  func announce(
    _ digest: Digest, by owner: String, total: Int64
  ) -> (number: UInt64, others: Unfinished) {
    let own = partialPath(of: digest, by: owner)
    return announced.withLock { announced in
      var sizes: [String: Int64] = [:]
      for path in partialPaths(by: owner) {
        sizes[path] = totalOfUpload(path) ?? Self.size(path) ?? 0
      }
      for (_, other) in announced.entries where other.owner == owner {
        sizes[other.path] = max(sizes[other.path] ?? 0, other.total)
      }
      sizes[own] = nil
      announced.last += 1
      announced.entries[announced.last] = Announcement(path: own, owner: owner, total: total)
      return (
        announced.last,
        Unfinished(count: sizes.count, byteCount: sizes.values.reduce(0, +))
      )
    }
  }

  /// Drops an announcement. An upload that is open counts by itself.
  func retract(_ number: UInt64) { announced.withLock { $0.entries[number] = nil } }

  private func partialPaths(by owner: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: uploadFolder)) ?? []
    return names.filter { $0.dropFirst(2 * Digest.byteCount) == ".\(owner).part" }
      .map { "\(uploadFolder)/\($0)" }
  }
}
