import Crypto
import Foundation

/// Stores accepted chunks, each under the SHA-256 of its bytes.
final class ChunkStore: Sendable {
  private let directory: DataDirectory
  private let quarantine: Quarantine

  init(_ directory: DataDirectory, quarantine: Quarantine) {
    self.directory = directory
    self.quarantine = quarantine
  }

  /// The path of a chunk.
  func path(of digest: Digest) -> String { directory.chunks.file(of: digest) }

  /// Whether a chunk exists. A chunk that the system cannot examine now counts as existing.
  func contains(_ digest: Digest) -> Bool { !PacedReading.isAbsent(path(of: digest)) }

  /// The result of reading an entire chunk.
  enum Verdict: Hashable, Sendable { case sound, damaged, missing }

  /// Whether a chunk exists and matches its digest. A damaged one is moved to the quarantine. Blocks.
  ///
  /// - Throws: ``StorageError`` if the chunk cannot be read now.
  func isSound(_ digest: Digest) throws -> Bool { try inspect(digest) { _ in } == .sound }

  /// Reads an entire chunk, and moves it to the quarantine if it is damaged. Blocks.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the chunk from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the chunk cannot be read now.
  func inspect(
    _ digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void
  ) throws -> Verdict {
    let path = path(of: digest)
    switch try PacedReading.compare(path, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound: return .sound
    case .missing: return .missing
    case .damaged(let inode, let damage):
      quarantine.take(path, inode: inode, kind: "chunk", digest, because: "\(damage)")
      return .damaged
    }
  }

  /// A temporary file to receive a chunk in.
  func stage() throws(StorageError) -> StagedFile {
    try StagedFile("\(directory.uploads)/chunk-\(SecureRandom.token(bytes: 12))")
  }

  /// Removes all other chunks, which a coordinator that was killed left behind.
  func removeAll(but needed: Set<Digest>) {
    let manager = FileManager.default
    for folder in (try? manager.contentsOfDirectory(atPath: directory.chunks)) ?? [] {
      let folder = "\(directory.chunks)/\(folder)"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let digest = Digest(hex: name), !needed.contains(digest) { unlink("\(folder)/\(name)") }
      }
    }
  }

  /// Removes chunks that jobs no longer need.
  func remove(_ digests: [Digest]) {
    for digest in digests { unlink(path(of: digest)) }
  }
}
