import Crypto
import FarmAPI
import Foundation
import PostgreSQL
import Preparation

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
    let (expected, missing) = try filesAmiss(ledger)
    var findings = missing
    // A running coordinator may have removed the files of a job that ended since the ledger was read.
    if !findings.isEmpty {
      let again = try filesAmiss(ledger).findings
      findings.removeAll { !again.contains($0) }
    }
    if readsFiles {
      for kind in [ObjectKind.chunk, .asset, .project, .plan] {
        findings += damagedFiles(kind, damage(of:_:))
      }
      findings += damagedFiles(.blocks, damageOfBlocks)
      findings += damagedFiles(.index, damageOfIndex)
      findings += try damagedOutputs(ledger)
    }
    return Report(
      findings: findings, fileCount: expected,
      notes: Quarantine.entries(in: data).map {
        "\($0.kind) \($0.digest) was damaged and is in the quarantine: \($0.path)"
      })
  }

  /// The number of files that the ledger needs, and a finding for each that is missing or has another size.
  private func filesAmiss(_ ledger: Ledger) throws -> (count: Int, findings: [String]) {
    let files = try ledger.expectedFiles()
    let findings = files.compactMap { file -> String? in
      let path = path(of: file)
      guard let size = FileFacts.byteCount(at: path) else {
        return "\(file.name): \(path) is missing"
      }
      guard let expected = file.byteCount, size != expected else { return nil }
      return "\(file.name): \(path) has \(size) bytes, not \(expected)"
    }
    return (files.count, findings)
  }

  /// The damaged files of a store.
  private func damagedFiles(
    _ kind: ObjectKind, _ damage: (String, Digest) -> String?
  ) -> [String] {
    let word = [.blocks, .index].contains(kind) ? "\(kind.word) of" : kind.word
    let manager = FileManager.default
    let root = "\(data)/\(kind.rawValue)"
    let files = ((try? manager.subpathsOfDirectory(atPath: root)) ?? []).sorted()
    return files.compactMap { file in
      let name = URL(fileURLWithPath: file).lastPathComponent
      guard let digest = Digest(hex: name) else { return nil }
      return damage("\(root)/\(file)", digest).map { "\(word) \(digest): \($0)" }
    }
  }

  private func damagedOutputs(_ ledger: Ledger) throws -> [String] {
    try ledger.outputs().compactMap { output in
      output.digest.flatMap { damage(of: path(of: output), $0) }.map { "\(output.name): \($0)" }
    }
  }

  private func path(of file: ExpectedFile) -> String {
    switch file.place {
    case .stored(let object): ObjectFiles.path(of: object, in: data)
    case .shared(let path): path
    }
  }

  private func damageOfBlocks(_ path: String, _ digest: Digest) -> String? {
    if BlockDigests(storedAt: path)?.content == digest || FileFacts.byteCount(at: path) == nil {
      return nil
    }
    return "\(path) has changed: the coordinator builds it again when the asset is used"
  }

  private func damageOfIndex(_ path: String, _ digest: Digest) -> String? {
    // An index of another version is never used.
    guard MediaIndexFile.isCurrent(path), let file = PacedReading(path) else { return nil }
    if (try? file.endsWithItsDigest { _ in }) == true { return nil }
    return "\(path) has changed: the coordinator builds it again when the asset is used"
  }

  private func damage(of path: String, _ digest: Digest) -> String? {
    do {
      let found = try Digest.of(file: path)
      return found == digest ? nil : "\(path) has changed: its SHA-256 is \(found)"
    } catch {
      // A missing file is reported elsewhere, or was removed during the check.
      return FileFacts.byteCount(at: path) == nil ? nil : "\(path) cannot be read: \(error)"
    }
  }
}
