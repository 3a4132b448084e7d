import Crypto
import FarmAPI
import Foundation
import PostgreSQL
import Preparation
import S3

/// Checks that a data directory matches its ledger, without changing anything.
struct DirectoryCheck {
  /// The result of a check.
  struct Report {
    /// The findings, one line each.
    var findings: [String]
    /// The number of files that the ledger refers to.
    var fileCount: Int
    /// Notes for the operator that are not findings, one line each.
    var notes: [String] = []
  }

  let data: String
  /// The database that has the ledger; `nil` for SQLite in the directory.
  let ledger: ServerAddress?
  /// The object store that has the stored files; `nil` if they are in the directory.
  let store: ObjectClient?
  /// Whether to read the files and verify their digests.
  let readsFiles: Bool

  /// Runs the check.
  ///
  /// - Throws: ``StorageError`` if the directory has no ledger.
  func run() throws -> Report {
    let ledger: Ledger
    let problems: [String]
    do {
      ledger = try Ledger.reading(data, at: self.ledger)
      problems = try ledger.problems()
    } catch let error as StorageError where error.code == .damaged {
      return Report(findings: ["ledger: \(error.message)"], fileCount: 0)
    } catch let error as LedgerError where error.isDamage {
      return Report(findings: ["ledger: damaged: \(error.message)"], fileCount: 0)
    }
    guard problems.isEmpty else {
      return Report(findings: problems.map { "ledger: \($0)" }, fileCount: 0)
    }
    let files = try openFiles()
    let (expected, missing) = try filesAmiss(ledger, files)
    var findings = missing
    // A running coordinator may have removed the files of a job that ended, or of a recording that was deleted, since the
    // ledger was read, or stored some since the files were listed.
    if !findings.isEmpty {
      let again = Set(try filesAmiss(ledger, openFiles()).findings)
      findings.removeAll { !again.contains($0) }
    }
    if readsFiles {
      for kind in [ObjectKind.chunk, .asset, .project, .plan] {
        findings += try damagedFiles(kind, in: files, Self.damage)
      }
      findings += try damagedFiles(.blocks, in: files, Self.damageOfBlocks)
      findings += try damagedFiles(.index, in: files, Self.damageOfIndex)
      findings += try damagedFiles(ledger.outputs(), files)
      for id in try ledger.recordings() {
        findings += try damagedFiles(ledger.files(ofRecording: id), files)
      }
    }
    return Report(
      findings: findings, fileCount: expected,
      notes: Quarantine.entries(in: data).map {
        "\($0.kind) \($0.digest) was damaged and is in the quarantine: \($0.path)"
      })
  }

  private func openFiles() throws -> any CheckedFiles {
    if let store { return try FilesInBucket(store, data: data) }
    try StoreRecord.assureNone(in: data)
    return FilesOnDisk(data: data)
  }

  /// The number of files that the ledger needs, and a finding for each that is missing or has another size.
  private func filesAmiss(
    _ ledger: Ledger, _ files: any CheckedFiles
  ) throws -> (count: Int, findings: [String]) {
    var (count, findings) = (0, [String]())
    func look(at expected: [ExpectedFile]) throws {
      count += expected.count
      findings += try filesAmiss(among: expected, files)
    }
    try look(at: ledger.expectedFiles())
    for id in try ledger.recordings() { try look(at: ledger.files(ofRecording: id)) }
    return (count, findings)
  }

  /// A finding for each file that is missing or has another size.
  private func filesAmiss(
    among expected: [ExpectedFile], _ files: any CheckedFiles
  ) throws -> [String] {
    try expected.compactMap { file in
      let (place, size): (String, Int64?) =
        switch file.place {
        case .stored(let object): (files.place(of: object), try files.byteCount(of: object))
        case .shared(let path): (path, FileFacts.byteCount(at: path))
        }
      guard let size else { return "\(file.name): \(place) is missing" }
      guard let expected = file.byteCount, size != expected else { return nil }
      return "\(file.name): \(place) has \(size) bytes, not \(expected)"
    }
  }

  /// Finds the damage of the file at a path.
  ///
  /// - Parameter place: where it is stored, for messages.
  private typealias Inspection = (_ path: String, _ place: String, _ digest: Digest) -> String?

  /// The damaged files of a kind.
  private func damagedFiles(
    _ kind: ObjectKind, in files: any CheckedFiles, _ damage: Inspection
  ) throws -> [String] {
    let word = [.blocks, .index].contains(kind) ? "\(kind.word) of" : kind.word
    return try files.all(of: kind).compactMap { object in
      guard let digest = object.digest else { return nil }
      return try files.read(object) { damage($0, files.place(of: object), digest) }
        .map { "\(word) \(digest): \($0)" }
    }
  }

  /// The damaged ones among files whose digests the ledger knows.
  private func damagedFiles(
    _ expected: [ExpectedFile], _ files: any CheckedFiles
  ) throws -> [String] {
    try expected.compactMap { file in
      guard let digest = file.digest, case .stored(let object) = file.place else { return nil }
      return try files.read(object) { Self.damage($0, files.place(of: object), digest) }
        .map { "\(file.name): \($0)" }
    }
  }

  private static func damageOfBlocks(_ path: String, _ place: String, _ digest: Digest) -> String? {
    if BlockDigests(storedAt: path)?.content == digest || FileFacts.byteCount(at: path) == nil {
      return nil
    }
    return "\(place) has changed: the coordinator builds it again when the asset is used"
  }

  private static func damageOfIndex(_ path: String, _ place: String, _ digest: Digest) -> String? {
    // An index of another version is never used.
    guard MediaIndexFile.isCurrent(path), let file = PacedReading(path) else { return nil }
    if (try? file.endsWithItsDigest { _ in }) == true { return nil }
    return "\(place) has changed: the coordinator builds it again when the asset is used"
  }

  private static func damage(_ path: String, _ place: String, _ digest: Digest) -> String? {
    do {
      let found = try Digest.of(file: path)
      return found == digest ? nil : "\(place) has changed: its SHA-256 is \(found)"
    } catch {
      // A missing file is reported elsewhere, or was removed during the check.
      return FileFacts.byteCount(at: path) == nil ? nil : "\(place) cannot be read: \(error)"
    }
  }
}
