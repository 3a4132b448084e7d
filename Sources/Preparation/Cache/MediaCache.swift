import Crypto
import Foundation
import Processes
import Threads
import Timeline

extension TemporaryFolder.Kind {
  /// Media indexes that are being made.
  fileprivate static let indexes = Self(rawValue: "indexes")
}

/// A private cache of a user's commands, or of a coordinator: the digests of media files that have not been written to
/// since, and the block digests and media indexes of contents. Calls block, except ``opened()``.
///
/// Its digests are relied on: if a coordinator already has the content with a file's digest, the file is not read. So a
/// digest is only used for a file on a file system that records every change. Bytes that are read are compared with
/// block digests.
package struct MediaCache: Sendable {
  /// The private folder with the entries.
  package let folder: String

  /// The number of entries of each kind up to which a user's commands keep all of them.
  package static let mostEntries = 4096

  /// Opens the cache in a folder, which is created if it is missing; `nil` if it cannot be private to this user.
  package init?(in folder: String) {
    self.folder = folder
    for path in [folder] + Kind.allCases.map(path) {
      mkdir(path, 0o700)
      var information = stat()
      guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR,
        information.st_uid == geteuid(), information.st_mode & 0o077 == 0
      else { return nil }
    }
  }

  /// The cache of this user's commands: `sheaf` in `XDG_CACHE_HOME`, which is `~/.cache` by default; `nil` if there can
  /// be none.
  package static func standard(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> MediaCache? {
    // Relative paths are to be ignored (XDG Base Directory Specification).
    let given = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let parent = given ?? environment["HOME"].map({ "\($0)/.cache" }) else { return nil }
    mkdir(parent, 0o700)
    return MediaCache(in: "\(parent)/sheaf")
  }

  /// The cache of this user's commands, which is opened on a thread of its own.
  package static func opened() async -> MediaCache? {
    try? await BlockingThread.run(named: "cache") { standard() }
  }

  private enum Kind: String, CaseIterable {
    case files = "files"
    case blocks = "blocks"
    case indexes = "indexes"
  }

  private func path(_ kind: Kind) -> String { "\(folder)/\(kind.rawValue)" }

  private func path(_ kind: Kind, _ digest: Digest) -> String { "\(path(kind))/\(digest)" }

  // MARK: - Files

  /// The digest of the file with a stamp; `nil` if it is not known.
  package func digest(of stamp: FileStamp) -> Digest? {
    let path = path(.files, stamp.key)
    guard stamp.recordsChanges, let entry = read(path), entry.count == 2 * Digest.byteCount,
      let digest = Digest(bytes: Array(entry.prefix(Digest.byteCount))),
      entry.suffix(Digest.byteCount).elementsEqual(Self.seal(digest, of: stamp))
    else { return nil }
    utimes(path, nil)
    return digest
  }

  /// Records the digest of the file with a stamp, unless a write may leave the stamp as it is.
  ///
  /// - Parameters:
  ///   - stamp: the file's stamp before and after it was hashed.
  ///   - start: when hashing began, in nanoseconds since 1970.
  package func note(_ digest: Digest, of stamp: FileStamp, hashedSince start: Int64) {
    guard stamp.isSettled(at: start) else { return }
    write(digest.bytes + Self.seal(digest, of: stamp), to: path(.files, stamp.key))
  }

  /// Forgets the digest of the file at `path`, which turned out to have other bytes.
  package func forget(_ path: String) {
    if let stamp = FileStamp(ofFile: path) { unlink(self.path(.files, stamp.key)) }
  }

  private static func seal(_ digest: Digest, of stamp: FileStamp) -> [UInt8] {
    Digest.of(stamp.key.bytes + digest.bytes).bytes
  }

  // MARK: - Contents

  /// The file with the block digests of a content, and the digest of the list; `nil` if there is none.
  package func blocks(of content: Digest) -> (list: BlockDigests, file: BlockList)? {
    let path = path(.blocks, content)
    guard let list = BlockDigests(storedAt: path), list.content == content else { return nil }
    utimes(path, nil)
    return (list, BlockList(path: path, digest: list.digest))
  }

  /// Stores block digests.
  package func keep(_ list: BlockDigests) { write(list.stored, to: path(.blocks, list.content)) }

  /// The file with the media index of a content; `nil` if this version has made none.
  package func index(of content: Digest) -> String? {
    let path = path(.indexes, content)
    guard MediaIndexFile.isCurrent(path) else { return nil }
    utimes(path, nil)
    return path
  }

  /// Creates a folder in ``folder`` for media indexes that are being made.
  package func makeFolder() throws(TemporaryFolder.CreationError) -> TemporaryFolder {
    try TemporaryFolder(.indexes, in: folder)
  }

  /// Stores the media index of a content, which a media process that has ended wrote to a file in the folder from
  /// ``makeFolder()``. A failure only costs work.
  ///
  /// The index must have been made of this content: by comparing what was read with block digests, or of a file whose
  /// stamp did not change meanwhile.
  package func take(index path: String, of content: Digest) {
    rename(path, self.path(.indexes, content))
  }

  /// Removes the media index of a content, because it cannot be read.
  package func removeIndex(of content: Digest) { unlink(path(.indexes, content)) }

  /// The age of an unfinished entry, in seconds, from which on its command is considered dead.
  private static let leftoverAge = 3600
  private static let leftoverPrefix = "new-"

  /// Removes what killed commands left, and of each kind of which there are more than `limit` entries, the half that was
  /// used least recently.
  package func tidy(to limit: Int = MediaCache.mostEntries) {
    TemporaryFolder.sweep(.indexes, in: folder)
    let now = time(nil)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(Self.leftoverPrefix) {
      let path = "\(folder)/\(name)"
      var information = stat()
      guard lstat(path, &information) == 0,
        now - information.st_mtim.tv_sec > Self.leftoverAge
      else { continue }
      unlink(path)
    }
    for kind in Kind.allCases {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path(kind))) ?? []
      guard names.count > limit else { continue }
      let dated = names.map { name -> (path: String, used: Int) in
        let path = "\(path(kind))/\(name)"
        var information = stat()
        return (path, lstat(path, &information) == 0 ? information.st_mtim.tv_sec : 0)
      }
      for entry in dated.sorted(by: { $0.used < $1.used }).prefix(names.count / 2) {
        unlink(entry.path)
      }
    }
  }

  private func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4 * Digest.byteCount)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    return count >= 0 ? Array(bytes[..<count]) : nil
  }

  /// Writes an entry, which other commands see completely or not at all. A failure only costs work.
  private func write(_ bytes: [UInt8], to path: String) {
    let temporary = "\(folder)/\(Self.leftoverPrefix)\(SecureRandom.token(bytes: 12))"
    do {
      let file = try HashedFile(temporary)
      try bytes.withUnsafeBytes { try file.write($0) }
      if rename(temporary, path) != 0 { unlink(temporary) }
    } catch {
      unlink(temporary)
    }
  }
}
