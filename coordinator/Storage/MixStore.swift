import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling

/// Keeps finished mixes for later jobs with the same sound. Every call blocks.
///
/// Each mix is in a folder of its own, with its block digests and a record. Nothing refers to it, so nothing waits
/// until it is on disk: it is compared with its digests before it is used, and a job whose mix is missing or damaged
/// mixes its sound.
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

  /// The files in a mix's folder.
  private enum Name {
    static let mix = "mix"
    static let blocks = "blocks"
    /// A `MixedSound` as JSON, followed by the SHA-256 of it.
    static let record = "record"
  }

  private let directory: DataDirectory
  private let log: Log

  init(_ directory: DataDirectory, log: Log) {
    self.directory = directory
    self.log = log
  }

  /// Links the kept mix of a key and its block digests to paths, which must be free.
  ///
  /// - Returns: what is known about the mix; `nil` if none is kept, or if it does not match its digests.
  /// - Throws: ``StorageError`` if it cannot be read now.
  func lend(_ key: Key, as mix: String, blocks list: String) throws -> MixedSound? {
    let folder = try folder(of: key)
    guard let mixed = record(in: folder) else { return nil }
    var isLent = false
    defer {
      if !isLent {
        unlink(mix)
        unlink(list)
      }
    }
    do {
      try share("\(folder)/\(Name.mix)", as: mix)
      try share("\(folder)/\(Name.blocks)", as: list)
    } catch {
      return nil
    }
    guard let blocks = BlockDigests(storedAt: list), blocks.digest == mixed.blocks,
      try PacedReading.compare(mix, with: blocks.content, pace: { _ in }) == .sound
    else {
      log.info("the sound kept in \(folder) does not match its digests: mixing it again")
      return nil
    }
    // Retention goes by the time of last use.
    utimes("\(folder)/\(Name.record)", nil)
    isLent = true
    return mixed
  }

  /// Keeps a new mix and its block digests, in place of any other mix with the key. If that fails, a later job mixes its
  /// sound.
  ///
  /// - Parameter staging: the path of the folder to make, which must be free and on the same disk.
  func keep(
    _ mixed: MixedSound, of key: Key, at mix: String, blocks: String, staging: String
  ) {
    defer { remove(staging) }
    do {
      try FileManager.default.createDirectory(
        atPath: staging, withIntermediateDirectories: false,
        attributes: [.posixPermissions: Int(PrivateFiles.folderMode)])
      try share(mix, as: "\(staging)/\(Name.mix)")
      try share(blocks, as: "\(staging)/\(Name.blocks)")
      let record = try FarmCoding.encode(mixed)
      try (record + Data(Digest.of(record).bytes)).write(
        to: URL(fileURLWithPath: "\(staging)/\(Name.record)"))
      let final = try folder(of: key)
      mkdir(URL(fileURLWithPath: final).deletingLastPathComponent().path, PrivateFiles.folderMode)
      remove(final)
      // Another job may have kept its mix of the same sound meanwhile.
      guard rename(staging, final) == 0 || errno == ENOTEMPTY || errno == EEXIST else {
        throw StorageError("cannot rename", final)
      }
    } catch {
      log.error("cannot keep the sound for later jobs: \(error)")
    }
  }

  /// Links a file, or copies it if the file system has no links.
  private func share(_ path: String, as other: String) throws {
    guard link(path, other) != 0 else { return }
    try FileManager.default.copyItem(atPath: path, toPath: other)
  }

  private struct Entry {
    let folder: String
    /// The number of bytes that removing it would free.
    let byteCount: Int64
    /// The time of its last use.
    let date: Date
  }

  private func entries() -> [Entry] {
    let manager = FileManager.default
    let groups = (try? manager.contentsOfDirectory(atPath: directory.mixes)) ?? []
    return groups.flatMap { group in
      let names = (try? manager.contentsOfDirectory(atPath: "\(directory.mixes)/\(group)")) ?? []
      return names.map { name in
        let folder = "\(directory.mixes)/\(group)/\(name)"
        var information = stat()
        let isKeptAlone =
          stat("\(folder)/\(Name.mix)", &information) == 0
          && information.st_nlink == 1
        return Entry(
          folder: folder, byteCount: isKeptAlone ? Int64(information.st_size) : 0,
          date: StoredFile.changeDate("\(folder)/\(Name.record)") ?? .distantPast)
      }
    }
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
      remove(entry.folder)
      byteCount -= entry.byteCount
      count += 1
    }
    return count
  }

  /// Removes every mix, and returns their number.
  func removeAll() -> Int {
    let kept = entries()
    for entry in kept { remove(entry.folder) }
    return kept.count
  }

  private func folder(of key: Key) throws -> String {
    directory.mixes.file(of: try CanonicalJSON.digest(of: key))
  }

  private func record(in folder: String) -> MixedSound? {
    guard let file = FileManager.default.contents(atPath: "\(folder)/\(Name.record)") else {
      return nil
    }
    let record = file.dropLast(Digest.byteCount)
    guard Digest.of(record).bytes.elementsEqual(file.suffix(Digest.byteCount)) else { return nil }
    return try? FarmCoding.decode(MixedSound.self, from: record)
  }

  private func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }
}
