import Crypto
import Foundation
import Synchronization

/// The space that each owner's unfinished uploads occupy, which counts toward the owner's limits. It is measured once
/// when the store is opened, and updated whenever an upload begins, ends or is removed.
extension AssetStore {
  /// Announces an upload before it is checked against its owner's limits. Of two simultaneous requests, the later one
  /// counts the earlier one.
  ///
  /// - Returns: a number to pass to ``retract(_:by:)`` once the upload is open or refused, and the owner's other
  ///   unfinished uploads.
  func announce(
    _ digest: Digest, by owner: String, total: Int64
  ) -> (number: UInt64, others: UnfinishedUploads.Sum) {
    unfinished.withLock { $0.announce(digest, of: owner, total: total) }
  }

  /// Drops an announcement. An open upload is counted without one.
  func retract(_ number: UInt64, by owner: String) {
    unfinished.withLock { $0.retract(number, of: owner) }
  }

  /// Measures the unfinished upload with the given path again, after it began or ended or its file was removed. Other
  /// paths have no effect.
  func recount(_ path: String) {
    guard let (digest, owner) = Self.upload(at: path) else { return }
    // The file is examined under the lock, so that the last of several calls sees the final state.
    unfinished.withLock {
      $0.set(digest, of: owner, to: totalOfUpload(path) ?? FileFacts.byteCount(at: path))
    }
  }

  /// Counts the unfinished uploads in a folder. Blocks.
  static func unfinishedUploads(in folder: String) -> UnfinishedUploads {
    var uploads = UnfinishedUploads()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names {
      let path = "\(folder)/\(name)"
      guard let (digest, owner) = upload(at: path), let size = FileFacts.byteCount(at: path) else {
        continue
      }
      uploads.set(digest, of: owner, to: size)
    }
    return uploads
  }

  /// The asset and the owner of the unfinished upload with a path; `nil` for an upload without an owner, and for other
  /// files.
  private static func upload(at path: String) -> (digest: Digest, owner: String)? {
    let name = path.split(separator: "/").last ?? ""
    let rest = name.dropFirst(2 * Digest.byteCount)
    guard let digest = Digest(hex: String(name.prefix(2 * Digest.byteCount))),
      rest.hasPrefix("."), rest.hasSuffix(Self.uploadSuffix),
      rest.count > Self.uploadSuffix.count + 1
    else { return nil }
    return (digest, String(rest.dropFirst().dropLast(Self.uploadSuffix.count)))
  }
}
