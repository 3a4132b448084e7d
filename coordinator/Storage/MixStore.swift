import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling

/// Keeps finished mixes for later jobs with the same sound. Every call blocks.
///
/// Each mix is three objects: its samples, its block digests and a record. Nothing refers to it, so nothing waits until
/// it is on disk: it is compared with its digests before it is used, and a job whose mix is missing or damaged mixes its
/// sound.
final class MixStore: Sendable {
  /// Everything that decides the bytes of a mix, and who may use it.
  struct Key: Encodable {
    /// The version of this layout.
    private let version = 1
    /// The versions of the libraries that mix the sound.
    let fingerprint: String
    /// The SHA-256 of the `MixDescription` in the plan.
    let sound: Digest
    /// Whether jobs of all submitters may use it.
    let isShared: Bool
    /// The only submitter whose jobs may use it otherwise; `nil` stands for jobs without a submitter.
    let submitter: String?

    init(fingerprint: String, sound: Digest, audience: ReuseAudience) {
      self.fingerprint = fingerprint
      self.sound = sound
      switch audience {
      case .anyone: (isShared, submitter) = (true, nil)
      case .submitter(let name): (isShared, submitter) = (false, name)
      }
    }
  }

  /// The objects of one mix.
  private struct Parts: Hashable {
    /// The folder in the objects' names.
    let folder: String

    var mix: StoredObject { StoredObject(.mix, named: "\(folder)/mix") }
    var blocks: StoredObject { StoredObject(.mix, named: "\(folder)/blocks") }
    /// A `MixedSound` as JSON, followed by the SHA-256 of it.
    var record: StoredObject { StoredObject(.mix, named: "\(folder)/record") }
    /// The record comes first: without it, the others are not used.
    var all: [StoredObject] { [record, mix, blocks] }

    init(of key: Key) throws {
      folder = StoredObject(.mix, try CanonicalJSON.digest(of: key)).name
    }

    /// The parts of the mix to which an object belongs; `nil` if it belongs to none.
    init?(with object: StoredObject) {
      guard let end = object.name.lastIndex(of: "/") else { return nil }
      folder = String(object.name[..<end])
    }
  }

  private let storage: any ObjectStorage
  private let log: Log

  init(in storage: any ObjectStorage, log: Log) {
    self.storage = storage
    self.log = log
  }

  /// Whether a mix is kept under a key. It may be damaged.
  func contains(_ key: Key) -> Bool {
    guard let parts = try? Parts(of: key) else { return false }
    return parts.all.allSatisfy(storage.contains)
  }

  /// Puts the kept mix of a key and its block digests at paths, which must be free, without reading the mix.
  ///
  /// - Returns: what is known about the mix; `nil` if none is kept.
  /// - Throws: ``StorageError`` if it cannot be read now.
  func lendUnread(_ key: Key, as mix: String, blocks list: String) throws -> MixedSound? {
    let parts = try Parts(of: key)
    guard let mixed = try record(of: parts) else { return nil }
    if try storage.lend(parts.mix, at: mix), try storage.lend(parts.blocks, at: list) {
      return mixed
    }
    unlink(mix)
    return nil
  }

  /// Puts the kept mix of a key and its block digests at paths, which must be free.
  ///
  /// - Returns: what is known about the mix; `nil` if none is kept, or if it does not match its digests.
  /// - Throws: ``StorageError`` if it cannot be read now.
  func lend(_ key: Key, as mix: String, blocks list: String) throws -> MixedSound? {
    let parts = try Parts(of: key)
    var isLent = false
    defer {
      if !isLent {
        unlink(mix)
        unlink(list)
      }
    }
    guard let mixed = try lendUnread(key, as: mix, blocks: list) else { return nil }
    guard let blocks = BlockDigests(storedAt: list), blocks.digest == mixed.blocks,
      try PacedReading.compare(mix, with: blocks.content) == .sound
    else {
      log.info("the sound kept in \(parts.mix.key) does not match its digests: mixing it again")
      return nil
    }
    // Retention goes by the time of last use.
    storage.touch(parts.record)
    isLent = true
    return mixed
  }

  /// Keeps a new mix and its block digests, in place of any other mix with the key. If that fails, a later job mixes its
  /// sound.
  ///
  /// - Parameter staging: the path of a folder to make, which must be free and on the same disk.
  func keep(
    _ mixed: MixedSound, of key: Key, at mix: String, blocks: String, staging: String
  ) {
    let manager = FileManager.default
    defer { try? manager.removeItem(atPath: staging) }
    do {
      try manager.createDirectory(
        atPath: staging, withIntermediateDirectories: false,
        attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
      let parts = try Parts(of: key)
      let record = try FarmCoding.encode(mixed)
      let file = "\(staging)/record"
      try (record + Data(Digest.of(record).bytes)).write(to: URL(fileURLWithPath: file))
      storage.discard(parts.record)
      try keep(mix, as: parts.mix, by: "\(staging)/mix")
      try keep(blocks, as: parts.blocks, by: "\(staging)/blocks")
      try storage.keep(fileAt: file, as: parts.record, isDurable: false) {
        appear throws(StorageError) in try appear()
      }
    } catch {
      log.error("cannot keep the sound for later jobs: \(error)")
    }
  }

  /// Stores a file that its job goes on using.
  private func keep(_ path: String, as object: StoredObject, by other: String) throws {
    guard try LentFile.make(of: path, at: other) else {
      throw StorageError(.unreadable, "the file of the sound is missing: \(path)")
    }
    try storage.keep(fileAt: other, as: object, isDurable: false) { appear throws(StorageError) in
      try appear()
    }
  }

  private struct Entry {
    let parts: Parts
    /// The number of bytes that removing it would free.
    var byteCount: Int64 = 0
    /// The time of its last use.
    var date = Date.distantPast
  }

  private func entries() -> [Entry] {
    var entries: [Parts: Entry] = [:]
    storage.forEach(of: .mix) { stored in
      guard let parts = Parts(with: stored.object) else { return }
      var entry = entries[parts] ?? Entry(parts: parts)
      if stored.object == parts.mix { entry.byteCount = stored.freedByteCount }
      // The record is touched when the mix is used. A mix that is being kept has none yet.
      entry.date = max(entry.date, stored.date)
      entries[parts] = entry
    }
    return Array(entries.values)
  }

  /// The number of bytes that ``removeAll()`` would free.
  var byteCount: Int64 { entries().reduce(0) { $0 + $1.byteCount } }

  /// Removes the mixes that were not used since a date, and of the others the least recently used ones, until the rest
  /// has at most `limit` bytes. Mixes that were used after `youth` stay.
  ///
  /// - Returns: the number of removed mixes.
  func tidy(unusedSince date: Date, to limit: Int64, but youth: Date) -> Int {
    let kept = entries().sorted { $0.date < $1.date }
    var byteCount = kept.reduce(0) { $0 + $1.byteCount }
    var count = 0
    for entry in kept where entry.date < youth && (entry.date < date || byteCount > limit) {
      remove(entry.parts)
      byteCount -= entry.byteCount
      count += 1
    }
    return count
  }

  /// Removes every mix, and returns their number.
  func removeAll() -> Int {
    let kept = entries()
    for entry in kept { remove(entry.parts) }
    return kept.count
  }

  private func record(of parts: Parts) throws(StorageError) -> MixedSound? {
    guard let path = try storage.localPath(of: parts.record),
      let file = FileManager.default.contents(atPath: path)
    else { return nil }
    let record = file.dropLast(Digest.byteCount)
    guard Digest.of(record).bytes.elementsEqual(file.suffix(Digest.byteCount)) else { return nil }
    return try? FarmCoding.decode(MixedSound.self, from: record)
  }

  private func remove(_ parts: Parts) { for part in parts.all { storage.discard(part) } }
}
