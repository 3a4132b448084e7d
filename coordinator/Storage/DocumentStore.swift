import Crypto
import FarmAPI
import Foundation

/// Stores the texts of projects and the plans made from them, each under the SHA-256 of its bytes. They may be large,
/// so they are kept in neither the ledger nor memory. Every call blocks.
final class DocumentStore: Sendable {
  /// The result of reading an entire file.
  enum Verdict: Hashable, Sendable { case sound, damaged, missing }

  private let directory: DataDirectory
  private let quarantine: Quarantine

  init(_ directory: DataDirectory, quarantine: Quarantine) {
    self.directory = directory
    self.quarantine = quarantine
  }

  /// The path of a project's text.
  func project(_ digest: Digest) -> String { directory.projects.file(of: digest) }

  /// The path of a plan.
  func plan(_ digest: Digest) -> String { directory.plans.file(of: digest) }

  /// Stores a file from a media process that has ended, as a project's text or as a plan.
  ///
  /// - Parameter final: the path of this digest's file in the store.
  /// - Throws: ``JobError`` if the file does not match the digest, or ``StorageError``.
  func keep(_ path: String, _ digest: Digest, as final: String) throws {
    guard AssetStore.size(path) != nil, try Digest.of(file: path) == digest else {
      throw JobError(
        .mediaProcessFailed,
        "a file of a media process is missing, or differs from what was written")
    }
    guard AssetStore.size(final) == nil || (try? Digest.of(file: final)) != digest else {
      utimes(final, nil)
      return
    }
    try StagedFile.bringToDisk(path)
    try StagedFile.publish(path, as: final)
  }

  /// Reads an entire project, and moves it to the quarantine if it is damaged.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the file from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the file exists but cannot be read now.
  func inspect(
    project digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    try inspect(project(digest), "project", digest, fromDisk, pace)
  }

  /// Reads an entire plan in the same way.
  func inspect(
    plan digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void = { _ in }
  ) throws -> Verdict {
    try inspect(plan(digest), "plan", digest, fromDisk, pace)
  }

  private func inspect(
    _ path: String, _ kind: String, _ digest: Digest, _ fromDisk: Bool,
    _ pace: (Int) throws -> Void
  ) throws -> Verdict {
    switch try PacedReading.compare(path, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound: return .sound
    case .missing: return .missing
    case .damaged(let inode, let damage):
      quarantine.take(path, inode: inode, kind: kind, digest, because: "\(damage)")
      return .damaged
    }
  }

  /// Removes files that no job needs and that are older than a date, and returns their number.
  func removeAll(
    but needed: (projects: Set<Digest>, plans: Set<Digest>), since date: Date
  ) -> Int {
    remove(in: directory.projects, but: needed.projects, since: date)
      + remove(in: directory.plans, but: needed.plans, since: date)
  }

  private func remove(in folder: String, but needed: Set<Digest>, since date: Date) -> Int {
    let names = FileManager.default.subpaths(atPath: folder) ?? []
    return names.count { name in
      guard let file = StoredFile("\(folder)/\(name)"), !needed.contains(file.digest),
        file.date < date
      else { return false }
      return unlink("\(folder)/\(name)") == 0
    }
  }
}
