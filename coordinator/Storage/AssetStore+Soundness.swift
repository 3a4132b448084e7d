import Crypto
import FarmAPI
import Foundation
import Synchronization

/// Makes sure that an asset's file matches its digest. Every call blocks.
extension AssetStore {
  /// The result of reading an entire file.
  enum Verdict: Hashable, Sendable {
    case sound(BlockDigests)
    /// The bytes do not match the digest; the reason is a phrase that follows the asset's name.
    case damaged(String)
    case missing
  }

  /// The maximum size in bytes of an asset that is read entirely just to find out whether it exists. Larger ones are
  /// read when they are first used.
  private static let readAtOnce: Int64 = 64 << 20

  /// The size of a complete asset, or `nil` if it does not exist. An asset that turns out to be truncated or damaged is
  /// moved to the quarantine, and counts as missing. If an asset cannot be examined now, this returns its last known
  /// size.
  ///
  /// - Throws: ``StorageError`` if an object store does not answer, and the size is not known.
  func byteCount(of digest: Digest) throws(StorageError) -> Int64? {
    let size: Int64
    do throws(StorageError) {
      guard let found = try storage.facts(of: StoredObject(.asset, digest)) else { return nil }
      size = found.byteCount
    } catch {
      if let known = blocks.facts(of: digest) { return known.byteCount }
      guard error.code == .unavailable else { return nil }
      throw error
    }
    // The asset was stored before there were block digests.
    guard let facts = blocks.facts(of: digest) else {
      if size > Self.readAtOnce { return size }
      do { return try inspect(digest).list?.byteCount } catch { return size }
    }
    if facts.byteCount == size { return size }
    return (try? inspect(digest))?.list?.byteCount
  }

  /// The block digests of an asset, computed from its file if they are missing or damaged; `nil` if the asset is
  /// missing, or is damaged and has been moved to the quarantine.
  ///
  /// - Throws: ``StorageError`` if the asset cannot be read now.
  func list(of digest: Digest) throws -> BlockDigests? {
    if let list = blocks.list(of: digest) { return list }
    return try inspect(digest).list
  }

  /// Whether an asset was read entirely and found to be sound, and has not been written to since.
  func isKnownSound(_ digest: Digest) -> Bool {
    known.contains(StoredObject(.asset, digest), digest)
  }

  /// Reads an entire asset, and moves it to the quarantine if it is damaged.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the asset from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the asset cannot be read now.
  func inspect(
    _ digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    let object = StoredObject(.asset, digest)
    guard let reading = try storage.reading(of: object, fromDisk: fromDisk) else {
      return .missing
    }
    let verdict = try verdict(on: digest, reading.file, pace: pace)
    switch verdict {
    case .sound(let list):
      try? blocks.keep(list)
      known.insert(object, reading.version, digest)
    case .damaged(let reason):
      known.remove(object)
      let setAside = { [storage] in
        storage.setAside(object, reading.version, digest, because: reason)
      }
      // A storage elsewhere locks the object itself, because that takes long.
      let isTaken = storage.isOnDisk ? naming.withLock { _ in setAside() } : setAside()
      if isTaken {
        tellLoss(digest, reason)
      } else if !storage.isOnDisk, let list = blocks.list(of: digest), isRead(digest, as: list) {
        // Only a local copy was damaged, and was replaced.
        return .sound(list)
      }
    case .missing: break
    }
    return verdict
  }

  /// Whether an asset can be read and matches its block digests.
  private func isRead(_ digest: Digest, as list: BlockDigests) -> Bool {
    let object = StoredObject(.asset, digest)
    guard let reading = try? storage.reading(of: object, fromDisk: false) else { return false }
    var isSound = true
    try? reading.file.forEachBlock(pace: { _ in }) { block, bytes in
      isSound = list.matches(bytes, block: block)
      return isSound
    }
    return isSound && reading.file.byteCount == list.byteCount
  }

  private func verdict(
    on digest: Digest, _ file: PacedReading, pace: (Int) throws -> Void
  ) throws -> Verdict {
    let list = blocks.list(of: digest)
    if let list, list.byteCount != file.byteCount {
      return .damaged("it has \(file.byteCount) bytes instead of \(list.byteCount)")
    }
    var hasher = BlockHasher()
    var bad: Int?
    do throws(PacedReading.Failure) {
      try file.forEachBlock(pace: pace) { block, bytes in
        guard let list else {
          hasher.update(bytes)
          return true
        }
        if !list.matches(bytes, block: block) { bad = block }
        return bad == nil
      }
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): return .damaged("it cannot be read: \(cause)")
      }
    }
    if let list {
      let place = Int64(bad ?? 0) * Int64(list.blockSize)
      return bad == nil
        ? .sound(list) : .damaged("its bytes from \(place) on do not match its digest")
    }
    let found = hasher.finalize()
    return found.content == digest ? .sound(found) : .damaged("its SHA-256 is \(found.content)")
  }

  /// Moves a complete file into the store. An existing, undamaged asset stays as it is, so that its readers read one
  /// file from beginning to end; a damaged one goes to the quarantine. Call ``confirm(_:)`` or
  /// ``withdraw(_:keepingBlocks:)`` afterwards.
  ///
  /// - Throws: ``StorageError``, also if an existing asset cannot be read now.
  func admit(_ file: StagedFile, _ list: BlockDigests) throws {
    if try has(list.content, isConfirmed: false) { return file.discard() }
    try blocks.keep(list)
    try file.commit(as: StoredObject(.asset, list.content), in: storage) {
      appear throws(StorageError) in
      try join(list.content, isConfirmed: false, else: appear)
    }
  }

  /// Moves a media process's file into the store in the same way.
  ///
  /// - Parameter isConfirmed: whether a job needs it, so that no confirmation is needed.
  func admit(fileAt path: String, _ list: BlockDigests, isConfirmed: Bool = true) throws {
    if try has(list.content, isConfirmed: isConfirmed) { return }
    try blocks.keep(list)
    let object = StoredObject(.asset, list.content)
    try storage.keep(fileAt: path, as: object, isDurable: true) { appear throws(StorageError) in
      try join(list.content, isConfirmed: isConfirmed, else: appear)
    }
    // It is still there if another upload of the asset came first.
    unlink(path)
  }

  /// Whether an asset exists and is undamaged. It counts as new from now on.
  private func has(_ digest: Digest, isConfirmed: Bool) throws -> Bool {
    // The asset is touched before it is read: reading can take minutes, in which retention could remove an old asset.
    touch(digest)
    guard case .sound = try inspect(digest) else { return false }
    return join(digest, isConfirmed: isConfirmed)
  }

  /// Lets an asset appear unless it exists: if two uploads end at the same time, the first one wins.
  private func join(
    _ digest: Digest, isConfirmed: Bool, else appear: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try naming.withLock { _ throws(StorageError) in
      guard !join(digest, isConfirmed: isConfirmed) else { return }
      try appear()
      if !isConfirmed { claims.withLock { $0[digest, default: 0] += 1 } }
    }
  }
}

/// The reason why a stored asset cannot be used.
enum AssetProblem: Hashable, Sendable, CustomStringConvertible {
  /// The asset is not in the store.
  case missing
  /// Its bytes do not match its digest; the reason is a phrase that follows the asset's name.
  case damaged(String)

  /// The code of a job's failure.
  var code: FailureCode {
    switch self {
    case .missing: .missingAsset
    case .damaged: .damagedAsset
    }
  }

  /// A phrase that completes "the copy is …".
  var description: String {
    switch self {
    case .missing: "missing"
    case .damaged(let reason): "damaged (\(reason))"
    }
  }
}

extension AssetStore.Verdict {
  /// The problem of the file, or `nil` if it is sound.
  var problem: AssetProblem? {
    switch self {
    case .sound: nil
    case .missing: .missing
    case .damaged(let reason): .damaged(reason)
    }
  }

  /// The block digests of a sound file; `nil` for the other verdicts.
  var list: BlockDigests? {
    if case .sound(let list) = self { list } else { nil }
  }
}
