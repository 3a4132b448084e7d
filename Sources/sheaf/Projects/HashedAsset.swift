import Crypto
import FarmAPI
import Foundation
import Preparation
import Threads

/// A local file with the digest of its content.
package struct HashedAsset: Hashable, Sendable {
  /// The file's absolute path.
  package var path: String
  /// The digest and length of its content.
  package var reference: AssetReference
  /// The stamp of the file with this content; `nil` if the file may change without a new stamp. The digest is then not
  /// in the cache, either.
  let stamp: FileStamp?

  /// Hashes every file, a few at a time, each on its own thread. A file that this user's cache knows is not read.
  ///
  /// - Parameters:
  ///   - refersToPath: whether the references include the paths, for a coordinator that shares the files.
  ///   - known: files that have been hashed, by path.
  /// - Returns: the files under the same names as in `paths`.
  package static func hash(
    _ paths: [String: String], refersToPath: Bool, knowing known: [String: HashedAsset] = [:]
  ) async throws -> [String: HashedAsset] {
    let cache = await MediaCache.opened()
    var hashed = known
    try await withThrowingTaskGroup(of: HashedAsset.self) { group in
      var waiting = Set(paths.values).subtracting(known.keys).sorted()[...]
      func begin() {
        guard let path = waiting.popFirst() else { return }
        group.addTask {
          try await BlockingThread.runUntilCancelled(named: "hash") {
            try hash(path, listingBlocks: false, through: cache)
          }
        }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
      while let asset = try await group.next() {
        hashed[asset.path] = asset
        begin()
      }
    }
    if let cache, !Set(paths.values).isSubset(of: known.keys) {
      try await BlockingThread.run(named: "cache") { cache.tidy() }
    }
    return paths.compactMapValues { path in
      guard var asset = hashed[path] else { return nil }
      asset.reference.path = refersToPath ? path : nil
      return asset
    }
  }

  /// Hashes a file, unless the cache knows it.
  ///
  /// - Parameter listsBlocks: whether the cache must have the block digests of the content afterwards.
  static func hash(
    _ path: String, listingBlocks listsBlocks: Bool, through cache: MediaCache?
  ) throws -> HashedAsset {
    // Opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    guard let stamp = FileStamp(of: descriptor) else {
      throw unreadable(path, "use a regular file")
    }
    if let cache, let digest = cache.digest(of: stamp),
      !listsBlocks || cache.blocks(of: digest) != nil
    {
      return HashedAsset(path, digest, stamp.byteCount, stamp)
    }
    let start = FileStamp.now
    let digest: Digest
    let byteCount: Int64
    do throws(FileReadError) {
      let file = "/proc/self/fd/\(descriptor)"
      if listsBlocks, let cache {
        let list = try BlockDigests.of(file: file)
        cache.keep(list)
        (digest, byteCount) = (list.content, list.byteCount)
      } else {
        digest = try Digest.of(file: file)
        byteCount = FileStamp(of: descriptor)?.byteCount ?? stamp.byteCount
      }
    } catch {
      throw unreadable(path, String(cString: strerror(error.number)))
    }
    let isSteady = FileStamp(of: descriptor) == stamp && stamp.isSettled(at: start)
    if isSteady { cache?.note(digest, of: stamp, hashedSince: start) }
    return HashedAsset(path, digest, byteCount, isSteady ? stamp : nil)
  }

  private init(_ path: String, _ digest: Digest, _ byteCount: Int64, _ stamp: FileStamp?) {
    self.path = path
    self.stamp = stamp
    reference = AssetReference(digest: digest, byteCount: byteCount)
  }

  private static func unreadable(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(.failed, "cannot read", on: path, remedy: reason)
  }
}
