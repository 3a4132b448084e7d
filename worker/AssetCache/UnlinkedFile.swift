import CLinux
import Foundation

/// A file without a name. Its disk space is freed when its last descriptor closes, however the process ends.
package final class UnlinkedFile: Sendable {
  package let descriptor: Int32

  /// Creates a file on the file system of `directory`.
  ///
  /// - Throws: ``LocalFileError``.
  package init(in directory: String) throws(LocalFileError) {
    let unnamed = sheaf_open_unnamed(directory)
    guard unnamed < 0 else {
      descriptor = unnamed
      return
    }
    // The file system cannot create a file without a name. One whose name is removed cannot be linked again.
    var template = Array("\(directory)/.sheaf-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw LocalFileError(problem: "cannot create a file", subject: directory, number: errno)
    }
    unlink(template)
  }

  deinit { close(descriptor) }

  /// A path with which this process can open the file while this object exists.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Gives the file a name. Returns whether it could.
  func link(to path: String) -> Bool { sheaf_name_file(descriptor, path) == 0 }

  /// Reserves disk space for bytes from the start, without writing them.
  ///
  /// - Throws: ``LocalFileError``, e.g. when the disk is full.
  package func reserve(_ byteCount: Int) throws(LocalFileError) {
    var number: Int32
    repeat { number = posix_fallocate(descriptor, 0, byteCount) } while number == EINTR
    guard number == 0 else {
      throw LocalFileError(problem: "cannot reserve space", subject: "the cache", number: number)
    }
  }

  /// Writes all the bytes at `offset`.
  ///
  /// - Throws: ``LocalFileError``, e.g. when the disk is full.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LocalFileError) {
    try Self.write(bytes, to: descriptor, at: offset)
  }

  /// Writes all the bytes at an offset of an open file in the worker's cache directory.
  ///
  /// - Throws: ``LocalFileError``, e.g. when the disk is full.
  static func write(
    _ bytes: Data, to descriptor: Int32, at offset: Int64
  ) throws(LocalFileError) {
    let bytes = [UInt8](bytes)
    let outcome = bytes.withUnsafeBytes { buffer -> Result<Void, LocalFileError> in
      Result { () throws(LocalFileError) in try write(buffer, to: descriptor, at: offset) }
    }
    try outcome.get()
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64
  ) throws(LocalFileError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, Int(offset) + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw LocalFileError(problem: "cannot write", subject: "the cache", number: errno)
      }
      done += count
    }
  }

  /// Fills the buffer from `offset`.
  ///
  /// - Throws: ``LocalFileError``.
  package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64)
    throws(LocalFileError)
  {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, Int(offset) + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw LocalFileError(problem: "cannot read", subject: "the cache", number: errno)
      }
      done += count
    }
  }
}

/// A failure of the worker's own disk.
package struct LocalFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package var problem: String
  /// The file or directory.
  package var subject: String
  /// The system's error number.
  package var number: Int32

  /// Whether the disk or the user's quota is full.
  var isForWantOfRoom: Bool { number == ENOSPC || number == EDQUOT }

  /// The problem, the subject and the system's message.
  package var description: String {
    "\(problem): \(subject): \(String(cString: strerror(number)))"
  }
}
