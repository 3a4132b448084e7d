import Crypto
import FarmAPI
import Foundation

/// Stores the texts of projects and the plans made from them, each under the SHA-256 of its bytes. They may be large,
/// so they are kept in neither the ledger nor memory. Every call blocks.
final class DocumentStore: Sendable {
  /// A project's text, or a plan.
  enum Document: Hashable, Sendable {
    case project(Digest)
    case plan(Digest)

    fileprivate var kind: ObjectKind {
      switch self {
      case .project: .project
      case .plan: .plan
      }
    }

    fileprivate var digest: Digest {
      switch self {
      case .project(let digest), .plan(let digest): digest
      }
    }

    fileprivate var object: StoredObject { StoredObject(kind, digest) }
  }

  private let storage: any ObjectStorage

  init(in storage: any ObjectStorage) { self.storage = storage }

  /// The path of a file with a document; `nil` if it is missing. See ``ObjectStorage/localPath(of:)``.
  func localPath(of document: Document) throws(StorageError) -> String? {
    try storage.localPath(of: document.object)
  }

  /// Whether a document exists. One that cannot be examined now counts as existing.
  func contains(_ document: Document) -> Bool { storage.contains(document.object) }

  /// Stores a file from a media process that has ended.
  ///
  /// - Throws: ``JobError`` if the file does not match the digest, or ``StorageError``.
  func keep(_ path: String, as document: Document) throws {
    let digest = document.digest
    guard FileFacts.byteCount(at: path) != nil, try Digest.of(file: path) == digest else {
      throw JobError(
        .mediaProcessFailed,
        "a file of a media process is missing, or differs from what was written")
    }
    // Touched before it is read, so that retention does not remove an old one in between.
    storage.touch(document.object)
    let kept = try? storage.compare(document.object, with: digest, fromDisk: false) { _ in }
    if case .sound? = kept { return }
    try storage.keep(fileAt: path, as: document.object)
  }

  /// Reads an entire document, and moves it to the quarantine if it is damaged.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache has of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if it exists but cannot be read now.
  func inspect(
    _ document: Document, fromDisk: Bool = false, pace: (Int) throws -> Void = { _ in }
  ) throws -> ObjectVerdict {
    try storage.inspect(document.kind, document.digest, fromDisk: fromDisk, pace: pace)
  }

  /// Removes documents that no job needs and that are older than a date, and returns their number.
  func removeAll(
    but needed: (projects: Set<Digest>, plans: Set<Digest>), since date: Date
  ) -> Int {
    remove(.project, but: needed.projects, since: date)
      + remove(.plan, but: needed.plans, since: date)
  }

  private func remove(_ kind: ObjectKind, but needed: Set<Digest>, since date: Date) -> Int {
    StoredFile.all(of: kind, in: storage).count { file in
      !needed.contains(file.digest)
        && storage.discard(StoredObject(kind, file.digest), unusedSince: date)
    }
  }
}
