import Crypto
import Foundation
import Preparation
import Synchronization

/// Stores the block digests of uploaded assets and of files under media roots. Each list is in a file that is named
/// after the asset's SHA-256 and ends with the SHA-256 of the list. Every call blocks.
final class BlockLists: Sendable {
  /// The facts about an asset that its list contains. They never change.
  struct Facts: Hashable, Sendable {
    /// The asset's length in bytes.
    let byteCount: Int64
    /// The SHA-256 of the list.
    let digest: Digest
  }

  /// Limits how many lists jobs and requests have in memory at a time: three in total, and two per caller. A list is in
  /// memory several times while it is read, and the list of a 100 GiB file has 13 MiB.
  let reading = FairGate(3)
  private let storage: any ObjectStorage
  /// The folder for temporary files.
  private let uploads: String
  /// The facts of lists that were read and found sound.
  private let known = Mutex<[Digest: Facts]>([:])
  private static let mostKnown = 50_000

  init(in storage: any ObjectStorage, uploads: String) {
    self.storage = storage
    self.uploads = uploads
  }

  /// The path of a file with an asset's list; `nil` if there is none. See ``ObjectStorage/localPath(of:)``.
  func localPath(of asset: Digest) throws(StorageError) -> String? {
    try storage.localPath(of: StoredObject(.blocks, asset))
  }

  /// The list of an asset, or `nil` if it is missing or damaged.
  func list(of asset: Digest) -> BlockDigests? {
    guard let path = try? localPath(of: asset) else { return nil }
    return list(of: asset, at: path)
  }

  private func list(of asset: Digest, at path: String) -> BlockDigests? {
    guard let list = BlockDigests(storedAt: path), list.content == asset else { return nil }
    note(list)
    return list
  }

  /// Whether there is a list of an asset and it is damaged. Reads what is stored.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func isDamaged(_ asset: Digest, pace: (Int) throws -> Void) throws -> Bool {
    let object = StoredObject(.blocks, asset)
    guard let reading = try? storage.reading(of: object, fromDisk: true) else { return false }
    try pace(Int(reading.file.byteCount))
    return withExtendedLifetime(reading.file) { list(of: asset, at: $0.openPath) == nil }
  }

  /// The facts in the list of an asset, or `nil` if the list is missing or damaged.
  func facts(of asset: Digest) -> Facts? {
    if let facts = known.withLock({ $0[asset] }) { return facts }
    guard let list = list(of: asset) else { return nil }
    return Facts(byteCount: list.byteCount, digest: list.digest)
  }

  /// Writes a list to disk, unless it is already there.
  func keep(_ list: BlockDigests) throws(StorageError) {
    guard self.list(of: list.content) == nil else {
      // Retention goes by the time of last use.
      storage.touch(StoredObject(.blocks, list.content))
      return
    }
    try storage.keep(
      Data(list.stored), as: StoredObject(.blocks, list.content),
      by: "\(uploads)/blocks-\(SecureRandom.token(bytes: 12))")
    note(list)
  }

  /// Removes the list of a missing asset.
  func remove(_ asset: Digest) {
    _ = known.withLock { $0.removeValue(forKey: asset) }
    storage.discard(StoredObject(.blocks, asset))
  }

  private func note(_ list: BlockDigests) {
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[list.content] = Facts(byteCount: list.byteCount, digest: list.digest)
    }
  }
}
