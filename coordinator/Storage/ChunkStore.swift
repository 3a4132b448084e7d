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

  /// Whether a chunk is there. One that the system cannot look at now counts as there.
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

  /// A file to receive a chunk in.
  func stage() throws(StorageError) -> StagedFile {
    try StagedFile("\(directory.uploads)/chunk-\(SecureRandom.token(bytes: 12))")
  }

  /// Removes every chunk but those: what a coordinator that ended without warning did not get to.
  func removeAll(but needed: Set<Digest>) {
    let manager = FileManager.default
    for folder in (try? manager.contentsOfDirectory(atPath: directory.chunks)) ?? [] {
      let folder = "\(directory.chunks)/\(folder)"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let digest = Digest(hex: name), !needed.contains(digest) { unlink("\(folder)/\(name)") }
      }
    }
  }

  /// Removes chunks that no job needs any more.
  func remove(_ digests: [Digest]) {
    for digest in digests { unlink(path(of: digest)) }
  }
}
