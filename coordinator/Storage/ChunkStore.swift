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

  /// Whether a chunk is there.
  func contains(_ digest: Digest) -> Bool { AssetStore.size(path(of: digest)) != nil }

  /// The result of reading an entire chunk.
  enum Verdict: Hashable, Sendable { case sound, damaged, missing }

  /// Whether a chunk exists and matches its digest. A damaged one is moved to the quarantine. Blocks.
  func isSound(_ digest: Digest) throws -> Bool { try inspect(digest) { _ in } == .sound }

  /// Reads an entire chunk, and moves it to the quarantine if it is damaged. Blocks.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to drop the chunk from the page cache first.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func inspect(
    _ digest: Digest, fromDisk: Bool = false, pace: (Int) throws -> Void
  ) throws -> Verdict {
    let path = path(of: digest)
    guard let file = PacedReading(path) else { return .missing }
    if fromDisk { file.forget() }
    let reason: String
    do throws(PacedReading.Failure) {
      let found = try file.digest(pace: pace)
      if found == digest { return .sound }
      reason = "its SHA-256 is \(found)"
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): reason = "it cannot be read: \(cause)"
      }
    }
    quarantine.take(path, inode: file.inode, kind: "chunk", digest, because: reason)
    return .damaged
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
