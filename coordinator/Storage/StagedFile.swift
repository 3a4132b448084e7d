import Crypto
import Foundation
import Synchronization

/// A file under a temporary name, hashed as it is written, that gets its name when it is whole and on disk.
///
/// `@unchecked`: it belongs to one request or child at a time, which calls it in sequence.
final class StagedFile: @unchecked Sendable {
  let path: String
  private(set) var byteCount: Int64
  private var descriptor: Int32
  private var hasher: SHA256?
  /// Used instead of `hasher` if block digests are needed too.
  private var blockHasher: BlockHasher?
  /// Whether what is written outlives this, so that it can go on later.
  private let isKept: Bool

  /// Opens the file at `path`, which is created if it is missing. If `isKept` is false, the file starts empty and is
  /// removed unless it is committed. Otherwise its existing content is hashed first, and this blocks for as long as
  /// that takes.
  ///
  /// - Parameter hashesBlocks: whether ``blocks()`` will be called instead of ``digest()``.
  init(
    _ path: String, keeping isKept: Bool = false, hashingBlocks hashesBlocks: Bool = false
  ) throws(StorageError) {
    self.path = path
    self.isKept = isKept
    byteCount = 0
    if hashesBlocks { blockHasher = BlockHasher() } else { hasher = SHA256() }
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | (isKept ? 0 : O_TRUNC)
    descriptor = open(path, flags, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw StorageError("cannot write", path) }
    if isKept { try hashWhatIsThere() }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isKept { unlink(path) }
  }

  private func hashWhatIsThere() throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw StorageError("cannot read", path) }
      hash(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      byteCount += Int64(count)
    }
  }

  private func hash(_ bytes: UnsafeRawBufferPointer) {
    hasher?.update(bytes)
    blockHasher?.update(bytes)
  }

  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let wanted = rest.count
      let allowed = FileWrites.allowance(path, wanted)
      let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(allowed))
      let count = Foundation.write(descriptor, slice.baseAddress, slice.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0, allowed == wanted else {
        throw StorageError("cannot write", path, allowed == wanted ? errno : EIO)
      }
      hash(UnsafeRawBufferPointer(rebasing: slice[..<count]))
      byteCount += Int64(count)
      rest = rest.dropFirst(count)
    }
  }

  /// The digest of everything written; asked for once, at the end.
  func digest() -> Digest? {
    hasher.take()?.finalize()
  }

  /// The block digests of everything written. Call it once, at the end.
  func blocks() -> BlockDigests? {
    blockHasher.take()?.finalize()
  }

  /// Gives a file its final name.
  typealias Renaming = (_ path: String, _ final: String) throws(StorageError) -> Void

  /// Brings the file to disk under its final name.
  func commit(
    to final: String,
    by rename: Renaming = { path, final throws(StorageError) in
      try StagedFile.rename(path, to: final)
    }
  ) throws(StorageError) {
    try FileWrites.assure(path)
    guard fsync(descriptor) == 0 else { throw StorageError("cannot write", path) }
    try Self.publish(path, as: final, by: rename)
    close(descriptor)
    descriptor = -1
  }

  /// Removes the file.
  func discard() {
    unlink(path)
  }

  /// Brings a file that someone else wrote, or the names in a directory, to disk.
  static func bringToDisk(_ path: String) throws(StorageError) {
    try FileWrites.assure(path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageError("cannot open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StorageError("cannot write", path) }
  }

  /// The folders whose names are on disk.
  private static let knownFolders = Mutex<Set<String>>([])

  /// Renames a file that is on disk already, and brings the name to disk.
  static func publish(
    _ path: String, as final: String,
    by rename: Renaming = { path, final throws(StorageError) in
      try StagedFile.rename(path, to: final)
    }
  ) throws(StorageError) {
    let directory = URL(fileURLWithPath: final).deletingLastPathComponent()
    try FileWrites.assure(final)
    mkdir(directory.path, PrivateFiles.folderMode)
    // The process that created it may have ended before its name was on disk.
    if knownFolders.withLock({ !$0.contains(directory.path) }) {
      try bringToDisk(directory.deletingLastPathComponent().path)
      knownFolders.withLock { _ = $0.insert(directory.path) }
    }
    try FileWrites.assure(final)
    try rename(path, final)
    try bringToDisk(directory.path)
  }

  /// Renames a file, replacing any file with that name.
  static func rename(_ path: String, to final: String) throws(StorageError) {
    guard Foundation.rename(path, final) == 0 else { throw StorageError("cannot rename", path) }
  }

  /// Writes a small file whole.
  static func write(_ data: Data, to final: String, temporary: String) throws(StorageError) {
    let file = try StagedFile(temporary)
    // Typed throws do not reach through `withUnsafeBytes` of Data.
    let bytes = [UInt8](data)
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try file.write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    try file.commit(to: final)
  }
}
