import Crypto
import FarmAPI
import Foundation
import Threads

/// A local file with the digest of its content.
package struct HashedAsset: Hashable, Sendable {
  /// The file's absolute path.
  package var path: String
  /// The digest and length of its content.
  package var reference: AssetReference

  /// Hashes every file, a few at a time, each on its own thread.
  ///
  /// - Parameter refersToPath: whether the references include the paths, for a coordinator that shares the files.
  /// - Returns: the files under the same names as in `paths`.
  package static func hash(
    _ paths: [String: String], refersToPath: Bool
  ) async throws -> [String: HashedAsset] {
    let distinct = Set(paths.values).sorted()
    var hashed: [String: HashedAsset] = [:]
    try await withThrowingTaskGroup(of: HashedAsset.self) { group in
      var waiting = distinct[...]
      let width = ProcessInfo.processInfo.activeProcessorCount
      for path in waiting.prefix(width) {
        group.addTask { try await hash(path, refersToPath: refersToPath) }
      }
      waiting = waiting.dropFirst(width)
      while let asset = try await group.next() {
        hashed[asset.path] = asset
        guard let path = waiting.popFirst() else { continue }
        group.addTask { try await hash(path, refersToPath: refersToPath) }
      }
    }
    return paths.compactMapValues { hashed[$0] }
  }

  private static func hash(_ path: String, refersToPath: Bool) async throws -> HashedAsset {
    try await BlockingThread.runUntilCancelled(named: "hash") {
      let digest: Digest
      do throws(FileReadError) {
        digest = try Digest.of(file: path)
      } catch {
        throw CommandFailure(.failed, lines: [error.description])
      }
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw CommandFailure(
          .failed, "cannot read", on: path, remedy: String(cString: strerror(errno)))
      }
      return HashedAsset(
        path: path,
        reference: AssetReference(
          digest: digest, byteCount: Int64(status.st_size), path: refersToPath ? path : nil))
    }
  }
}
