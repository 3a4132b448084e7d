import Crypto
import Foundation

/// Keeps chunks in files of the data directory.
struct ChunkFiles: ChunkStorage {
  private let directory: DataDirectory
  private let quarantine: Quarantine

  init(_ directory: DataDirectory, quarantine: Quarantine) {
    self.directory = directory
    self.quarantine = quarantine
  }

  private func path(of digest: Digest) -> String { directory.chunks.file(of: digest) }

  func contains(_ digest: Digest) -> Bool { !PacedReading.isAbsent(path(of: digest)) }

  func byteCount(of digest: Digest) -> Int64? { AssetStore.size(path(of: digest)) }

  func keep(fileAt path: String, as digest: Digest) throws {
    try StagedFile.bringToDisk(path)
    try StagedFile.publish(path, as: self.path(of: digest))
  }

  func inspect(
    _ digest: Digest, fromDisk: Bool, pace: (Int) throws -> Void
  ) throws -> ChunkVerdict {
    let path = path(of: digest)
    switch try PacedReading.compare(path, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound: return .sound
    case .missing: return .missing
    case .damaged(let inode, let damage):
      quarantine.take(path, inode: inode, kind: "chunk", digest, because: "\(damage)")
      return .damaged
    }
  }

  func lend(_ digest: Digest, at path: String) throws -> Bool {
    try LentFile.make(of: self.path(of: digest), at: path)
  }

  func remove(_ digest: Digest) { unlink(path(of: digest)) }

  func removeAll(but needed: Set<Digest>) {
    let manager = FileManager.default
    for folder in (try? manager.contentsOfDirectory(atPath: directory.chunks)) ?? [] {
      let folder = "\(directory.chunks)/\(folder)"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let digest = Digest(hex: name), !needed.contains(digest) { unlink("\(folder)/\(name)") }
      }
    }
  }
}
