import Crypto
import Foundation
import Synchronization

/// A file that is written and hashed under a temporary name, and gets its final name when it is complete and on disk.
///
/// `@unchecked`: it belongs to one request or child at a time, which calls it sequentially.
final class StagedFile: @unchecked Sendable {
  let path: String
  private let file: HashedFile
  /// Whether the written bytes are kept when this object is released, so that writing can continue later.
  private let isKept: Bool
  /// Whether the file has its final name.
  private var isCommitted = false

  /// The file's length in bytes.
  var byteCount: Int64 { file.byteCount }

  /// Opens the file at `path`, which is created if it is missing. If `isKept` is false, the file starts empty and is
  /// removed unless it is committed. Otherwise its existing content is hashed first, which blocks.
  ///
  /// - Parameters:
  ///   - hashesBlocks: whether ``blocks()`` will be called instead of ``digest()``.
  ///   - isWanted: called before each MiB of the existing content is hashed. If it returns `false`, this throws.
  init(
    _ path: String, keeping isKept: Bool = false, hashingBlocks hashesBlocks: Bool = false,
    while isWanted: () -> Bool = { true }
  ) throws(StorageError) {
    self.path = path
    self.isKept = isKept
    do throws(FileWriteError) {
      file = try HashedFile(path, keeping: isKept, hashingBlocks: hashesBlocks)
    } catch {
      throw StorageError(error)
    }
    guard isKept else { return }
    let isHashed: Bool
    do throws(FileReadError) {
      isHashed = try file.hashContents(while: isWanted)
    } catch {
      throw StorageError("cannot read", path, error.number)
    }
    guard isHashed else { throw StorageError(.unreadable, "reading was cancelled: \(path)") }
  }

  deinit {
    if !isKept && !isCommitted { unlink(path) }
  }

  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard !bytes.isEmpty else { return }
    let allowed = FileWrites.allowance(path, bytes.count)
    do throws(FileWriteError) {
      try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(allowed)))
    } catch {
      throw StorageError(error)
    }
    guard allowed == bytes.count else { throw StorageError("cannot write", path, EIO) }
  }

  /// The digest of everything written. Call it once, at the end.
  func digest() -> Digest { file.finish() }

  /// The block digests of everything written; `nil` if they are not hashed. Call it once, at the end, instead of
  /// ``digest()``.
  func blocks() -> BlockDigests? { file.finishBlocks() }

  /// Appends bytes.
  func write(_ data: Data) throws(StorageError) {
    // Typed throws do not pass through `withUnsafeBytes` of Data.
    let bytes = [UInt8](data)
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Brings the file to disk under its final name.
  func commit(to final: String) throws(StorageError) {
    try FileWrites.assure(path)
    do throws(FileWriteError) {
      if Durability.isRequired(of: path) { try file.synchronize() }
    } catch {
      throw StorageError(error)
    }
    try Self.publish(path, as: final)
    isCommitted = true
  }

  /// Moves the file into a storage.
  ///
  /// - Parameter turn: see ``ObjectStorage/keep(fileAt:as:isDurable:turn:)``. The file is removed if the object does not
  ///   appear.
  func commit(
    as object: StoredObject, in storage: any ObjectStorage,
    turn: ObjectTurn = { appear throws(StorageError) in try appear() }
  ) throws(StorageError) {
    var hasAppeared = false
    try storage.keep(fileAt: path, as: object, isDurable: true) { appear throws(StorageError) in
      try turn { () throws(StorageError) in
        try appear()
        hasAppeared = true
      }
    }
    if !hasAppeared { discard() }
    isCommitted = true
  }

  /// Removes the file.
  func discard() {
    unlink(path)
  }

  /// Brings a file that was written elsewhere, or the names in a directory, to disk.
  static func bringToDisk(_ path: String) throws(StorageError) {
    try FileWrites.assure(path)
    guard Durability.isRequired(of: path) else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageError("cannot open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StorageError("cannot write", path) }
  }

  /// The folders whose names are on disk.
  private static let knownFolders = Mutex<Set<String>>([])

  /// Gives a file its final name.
  typealias Renaming = (_ path: String, _ final: String) throws(StorageError) -> Void

  /// Renames a file that is already on disk, and brings the name to disk.
  ///
  /// - Parameter isDurable: whether the name has to be on disk when this returns.
  static func publish(
    _ path: String, as final: String, isDurable: Bool = true,
    by rename: Renaming = { path, final throws(StorageError) in
      try StagedFile.rename(path, to: final)
    }
  ) throws(StorageError) {
    let directory = URL(fileURLWithPath: final).deletingLastPathComponent()
    try FileWrites.assure(final)
    if mkdir(directory.path, PrivateFiles.folderMode) != 0, errno == ENOENT {
      mkdir(directory.deletingLastPathComponent().path, PrivateFiles.folderMode)
      mkdir(directory.path, PrivateFiles.folderMode)
    }
    // The process that created the folder may have ended before the folder's name was on disk.
    if isDurable, knownFolders.withLock({ !$0.contains(directory.path) }) {
      try bringToDisk(directory.deletingLastPathComponent().path)
      knownFolders.withLock { _ = $0.insert(directory.path) }
    }
    try FileWrites.assure(final)
    try rename(path, final)
    if isDurable { try bringToDisk(directory.path) }
  }

  /// Renames a file, replacing any file with that name. A directory with that name is moved aside, and keeps its
  /// contents.
  static func rename(_ path: String, to final: String) throws(StorageError) {
    if Foundation.rename(path, final) == 0 { return }
    let number = errno
    let aside = "\(final).aside-\(SecureRandom.token(bytes: 6))"
    guard number == EISDIR, Foundation.rename(final, aside) == 0,
      Foundation.rename(path, final) == 0
    else { throw StorageError("cannot rename", path, number) }
  }

  /// Writes an entire small file.
  static func write(_ data: Data, to final: String, temporary: String) throws(StorageError) {
    let file = try StagedFile(temporary)
    try file.write(data)
    try file.commit(to: final)
  }
}

extension StorageError {
  fileprivate init(_ error: FileWriteError) {
    self.init("cannot write", error.path, error.number)
  }
}
