import Crypto
import FarmAPI
import Foundation
import Media
import Synchronization

/// Directories that this host shares with the coordinator. Their files are read in place, not over HTTP.
///
/// A file that differs from its asset is not used. Until it changes, the asset comes from the coordinator, as if this
/// host did not have the file.
package final class SharedMedia: Sendable {
  private let roots: [String]
  private let unusable: @Sendable (_ asset: AssetReference, _ reason: String) -> Void
  /// The files that differ from their assets, by the assets' paths.
  private let differences = Mutex<[String: Difference]>([:])

  private struct Difference: Hashable {
    let asset: Digest
    let state: FileState
  }

  /// The state of an open file. Writing to the file changes it.
  private struct FileState: Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let byteCount: Int64
    private let modified: Int64
    private let changed: Int64

    init?(of file: FileByteSource) {
      var information = stat()
      guard fstat(file.descriptor, &information) == 0 else { return nil }
      device = UInt64(information.st_dev)
      inode = UInt64(information.st_ino)
      byteCount = Int64(information.st_size)
      modified = Self.nanoseconds(information.st_mtim)
      changed = Self.nanoseconds(information.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }

  /// Creates access to media under the directories. Links in `roots` are resolved once, here.
  ///
  /// - Parameter unusable: called with an asset whose file differs from it, and a clause with the reason. It is called
  ///   once for each state of a file.
  package init(
    roots: [String],
    unusable: @escaping @Sendable (_ asset: AssetReference, _ reason: String) -> Void = { _, _ in }
  ) {
    self.roots = roots.compactMap(Self.resolved)
    self.unusable = unusable
  }

  /// The file of a reference, or `nil` if it is not under a local root, has another size, or was rejected as it is. The
  /// reader has to check its bytes.
  package func file(_ reference: AssetReference) -> FileByteSource? {
    guard let path = reference.path.flatMap(Self.resolved),
      roots.contains(where: { path.hasPrefix($0 == "/" ? $0 : $0 + "/") }),
      let file = try? FileByteSource(path: path, throughLinks: false)
    else { return nil }
    guard file.size == reference.byteCount else {
      reject(
        file, of: reference,
        because: "it has \(file.size) bytes instead of \(reference.byteCount)")
      return nil
    }
    return isRejected(file, of: reference) ? nil : file
  }

  /// Rejects a file that ``file(_:)`` returned, because it differs from its asset. Until the file changes,
  /// ``file(_:)`` does not return it again for this asset.
  ///
  /// - Parameter reason: a clause about the file, for the log.
  package func reject(
    _ file: FileByteSource, of reference: AssetReference, because reason: String
  ) {
    guard let path = reference.path, let state = FileState(of: file) else { return }
    let difference = Difference(asset: reference.digest, state: state)
    let isKnown = differences.withLock { differences in
      differences.updateValue(difference, forKey: path) == difference
    }
    if !isKnown { unusable(reference, reason) }
  }

  private func isRejected(_ file: FileByteSource, of reference: AssetReference) -> Bool {
    guard let path = reference.path,
      let difference = differences.withLock({ $0[path] }), difference.asset == reference.digest
    else { return false }
    return difference.state == FileState(of: file)
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
