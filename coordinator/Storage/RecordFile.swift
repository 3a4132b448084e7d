import Crypto
import FarmAPI
import Foundation

/// A file of records in a data directory, which other processes may change while a coordinator runs.
///
/// Each change replaces the whole file, so a running coordinator reads either the old or the new version.
package struct RecordFile<Record: Codable & Sendable>: Hashable, Sendable {
  package let path: String
  /// The content of the file as messages name it, such as `the tokens`.
  private let subject: String
  /// The remedy for a damaged file, for messages.
  private let remedy: String

  /// Creates a description of the file at a path.
  init(path: String, of subject: String, remedy: String) {
    self.path = path
    self.subject = subject
    self.remedy = remedy
  }

  /// Identifies the current file at the path.
  struct Identity: Hashable, Sendable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The identity of the file, or `nil` if there is none.
  ///
  /// - Throws: ``StorageError`` if the system cannot look it up.
  func identity() throws(StorageError) -> Identity? {
    var information = stat()
    guard stat(path, &information) == 0 else {
      guard errno == ENOENT else {
        throw StorageError("cannot get the attributes of \(subject)", path)
      }
      return nil
    }
    return Identity(
      inode: UInt64(information.st_ino), size: Int64(information.st_size),
      seconds: information.st_mtim.tv_sec, nanoseconds: information.st_mtim.tv_nsec)
  }

  /// All records, oldest first; empty if there is no file.
  ///
  /// - Throws: ``StorageError`` if the file cannot be read or is damaged.
  package func records() throws(StorageError) -> [Record] {
    guard try identity() != nil else { return [] }
    do {
      return try FarmCoding.decode(
        [Record].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw StorageError(
        .unreadable,
        "cannot read \(subject): \(path): \(remedy)")
    }
  }

  /// Changes the records, one process at a time. Blocks until they are on disk.
  ///
  /// - Throws: ``StorageError``, or an error from `change`.
  package func update<Value>(_ change: (inout [Record]) throws -> Value) throws -> Value {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw StorageError(
        .unwritable,
        "cannot create the data directory: \(directory): \(error.localizedDescription)")
    }
    let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw StorageError("cannot lock \(subject)", "\(path).lock") }
    defer { close(lock) }
    Self.giveAway(lock, to: directory)
    guard flock(lock, LOCK_EX) == 0 else { throw StorageError("cannot lock \(subject)", path) }
    var records = try records()
    let value = try change(&records)
    try write(FarmCoding.encode(records), in: directory)
    return value
  }

  private func write(_ data: Data, in directory: String) throws(StorageError) {
    let new = "\(path).new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StorageError("cannot write \(subject)", new) }
    Self.giveAway(descriptor, to: directory)
    var rest = [UInt8](data)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let number = errno
        close(descriptor)
        throw StorageError("cannot write \(subject)", new, number)
      }
      rest = rest.dropFirst(count)
    }
    let isSynced = fsync(descriptor) == 0
    close(descriptor)
    guard isSynced, rename(new, path) == 0 else {
      throw StorageError("cannot write \(subject)", path)
    }
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw StorageError("cannot write \(subject)", directory) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw StorageError("cannot write \(subject)", directory) }
  }

  /// Makes the owner of a directory, the coordinator's user, the owner of a file in it that root may have created.
  private static func giveAway(_ descriptor: Int32, to directory: String) {
    var information = stat()
    guard geteuid() == 0, stat(directory, &information) == 0 else { return }
    _ = fchown(descriptor, information.st_uid, information.st_gid)
  }
}
