import Foundation

extension Digest {
  /// The digest of `bytes`.
  public static func of(_ bytes: [UInt8]) -> Digest {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// The digest of `data`.
  public static func of(_ data: Data) -> Digest {
    var hasher = SHA256()
    hasher.update(data)
    return hasher.finalize()
  }

  /// The digest of `bytes`.
  public static func of(_ bytes: UnsafeRawBufferPointer) -> Digest {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// The digest of the file at `path`, read in pieces of 1 MiB.
  ///
  /// Blocks on the disk; keep it off the cooperative pool.
  ///
  /// - Throws: ``FileReadError`` if the file cannot be opened or read.
  public static func of(file path: String) throws(FileReadError) -> Digest {
    var hasher = SHA256()
    try read(file: path) { hasher.update($0) }
    return hasher.finalize()
  }

  /// Reads the file at `path` in pieces of 1 MiB.
  ///
  /// - Parameter isWanted: called before each piece.
  /// - Returns: `false` if `isWanted` ended the reading.
  @discardableResult
  static func read(
    file path: String, while isWanted: () -> Bool = { true },
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(FileReadError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileReadError(path: path, number: errno) }
    defer { close(descriptor) }
    return try read(descriptor, of: path, while: isWanted, body)
  }

  /// Reads a file from its current position to its end, in pieces of 1 MiB.
  ///
  /// - Parameter isWanted: called before each piece.
  /// - Returns: `false` if `isWanted` ended the reading.
  @discardableResult
  static func read(
    _ descriptor: Int32, of path: String, while isWanted: () -> Bool = { true },
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(FileReadError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while isWanted() {
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return true }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileReadError(path: path, number: errno)
      }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return false
  }
}

/// A file that could not be read for hashing.
public struct FileReadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The system's error number.
  public let number: Int32

  /// The problem, the file and the reason.
  public var description: String {
    "cannot read: \(path): \(String(cString: strerror(number)))"
  }
}
