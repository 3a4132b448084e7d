import Crypto
import Foundation

/// Reads a file from its first to its last byte at a pace that the caller controls. Blocks.
final class PacedReading {
  /// The reason why a file was not read to its end.
  enum Failure: Error {
    /// The `pace` closure threw this error, or the system cannot read the file now (``StorageError``).
    case interrupted(any Error)
    /// The disk does not return the file's bytes, or the file was cut short.
    case unreadable(String)
  }

  /// The result of comparing a file with a digest.
  enum Comparison: Hashable, Sendable {
    case sound
    case missing
    case damaged(Damage)
  }

  /// The damage of a file, as a clause that explains why it is not used.
  enum Damage: Hashable, Sendable, CustomStringConvertible {
    /// The file has this SHA-256 instead.
    case changed(Digest)
    /// The disk does not return the file's bytes, for this reason.
    case unreadable(String)

    var description: String {
      switch self {
      case .changed(let found): "its SHA-256 is \(found)"
      case .unreadable(let cause): "it cannot be read: \(cause)"
      }
    }
  }

  /// The reason why a file was not opened.
  private struct OpeningFailure: Error {
    /// The system's error number.
    let number: Int32

    /// Whether the file does not exist. Every other failure may be temporary and proves nothing about the file.
    var isAbsence: Bool { FileReadError.isAbsence(number) }
  }

  /// The error numbers with which reading fails because of the disk's content: a bad sector, or metadata that do not match
  /// their checksum. With any other number, the same file may be readable later.
  private static let damageNumbers: Set<Int32> = [EIO, EBADMSG, EUCLEAN]

  /// The file's identity when it was opened.
  let identity: FileIdentity
  let path: String
  private let descriptor: Int32

  /// Opens the file at `path`; `nil` if there is no such regular file.
  convenience init?(_ path: String) {
    do { try self.init(opening: path) } catch { return nil }
  }

  /// Opens the file at `path`.
  ///
  /// - Throws: the system's error number; `ENOENT` if this is not a regular file.
  private init(opening path: String, throughLinks: Bool = true) throws(OpeningFailure) {
    if let number = FileReads.refusal(of: path) { throw OpeningFailure(number: number) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw OpeningFailure(number: errno) }
    let information: stat
    do throws(OpeningFailure) {
      information = try Self.information(on: descriptor)
      if !throughLinks {
        let place = try Self.place(of: descriptor)
        guard place == path else { throw OpeningFailure(number: ENOENT) }
      }
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    identity = FileIdentity(information)
  }

  /// A path of the open file, even if it has no name any more.
  var openPath: String { "/proc/self/fd/\(descriptor)" }

  /// The file's length in bytes when it was opened.
  var byteCount: Int64 { identity.byteCount }

  deinit { close(descriptor) }

  /// The kernel's facts about an open regular file.
  private static func information(on descriptor: Int32) throws(OpeningFailure) -> stat {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw OpeningFailure(number: errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw OpeningFailure(number: ENOENT) }
    return information
  }

  /// The path of an open file, as reported by the kernel.
  private static func place(of descriptor: Int32) throws(OpeningFailure) -> String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1)
    guard count >= 0 else { throw OpeningFailure(number: errno) }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Opens the file at `path`; `nil` if it does not exist. A directory, or a link to itself, does not count as a file.
  ///
  /// - Parameter throughLinks: whether symbolic links may lead to the file. If not, a path that leads through one counts
  ///   as missing.
  /// - Throws: ``StorageError`` if the system cannot open the file now, which does not show whether the file is sound.
  static func ifPresent(
    _ path: String, throughLinks: Bool = true
  ) throws(StorageError) -> PacedReading? {
    do throws(OpeningFailure) {
      return try PacedReading(opening: path, throughLinks: throughLinks)
    } catch {
      guard !error.isAbsence else { return nil }
      throw cannotRead(path, error.number)
    }
  }

  /// Whether there is certainly no regular file at `path`.
  static func isAbsent(_ path: String) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0 else { return OpeningFailure(number: errno).isAbsence }
    return information.st_mode & S_IFMT != S_IFREG
  }

  /// Reads an entire file, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - throughLinks: whether symbolic links may lead to the file. If not, a path that leads through one counts as missing.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the system cannot read the file now, which does not show
  ///   whether the file is sound.
  static func compare(
    _ path: String, with digest: Digest, throughLinks: Bool = true,
    pace: (Int) throws -> Void = { _ in }
  ) throws -> Comparison {
    guard let file = try ifPresent(path, throughLinks: throughLinks) else { return .missing }
    return try file.compare(with: digest, pace: pace).map(Comparison.damaged) ?? .sound
  }

  /// Reads the entire file, and compares it with its digest.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Returns: the damage; `nil` if the file is sound.
  /// - Throws: an error from `pace`, or ``StorageError`` if the system cannot read the file now.
  func compare(with digest: Digest, pace: (Int) throws -> Void) throws -> Damage? {
    do throws(Failure) {
      let found = try self.digest(pace: pace)
      return found == digest ? nil : .changed(found)
    } catch {
      switch error {
      case .interrupted(let error): throw error
      case .unreadable(let cause): return .unreadable(cause)
      }
    }
  }

  /// The error for a file that the system cannot read now.
  static func cannotRead(_ path: String, _ number: Int32) -> StorageError {
    StorageError(.unreadable, "cannot read: \(path): \(String(cString: strerror(number)))")
  }

  /// Drops the file from the page cache, so that reading it reads the disk.
  func forget() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  /// Calls `body` with each of the file's blocks. All but the last have the standard block size.
  ///
  /// - Parameters:
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  ///   - body: called with a block and its number; returns whether to continue.
  func forEachBlock(
    pace: (Int) throws -> Void, _ body: (Int, UnsafeRawBufferPointer) -> Bool
  ) throws(Failure) {
    FileReads.begin(path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: BlockDigests.usualBlockSize, alignment: 16)
    defer { buffer.deallocate() }
    for (number, offset) in stride(from: 0, to: byteCount, by: buffer.count).enumerated() {
      let length = Int(min(Int64(buffer.count), byteCount - offset))
      do { try pace(length) } catch { throw .interrupted(error) }
      var filled = 0
      while filled < length {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<length])
        let count = pread(descriptor, rest.baseAddress, rest.count, Int(offset) + filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else {
          let number = errno
          guard Self.damageNumbers.contains(number) else {
            throw .interrupted(Self.cannotRead(path, number))
          }
          throw .unreadable(String(cString: strerror(number)))
        }
        guard count > 0 else { throw .unreadable("it was cut short") }
        filled += count
      }
      guard body(number, UnsafeRawBufferPointer(rebasing: buffer[..<length])) else { return }
    }
  }

  /// The SHA-256 of the file.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func digest(pace: (Int) throws -> Void) throws(Failure) -> Digest {
    var hasher = SHA256()
    try forEachBlock(pace: pace) { _, bytes in
      hasher.update(bytes)
      return true
    }
    return hasher.finalize()
  }

  /// Whether the file ends with the SHA-256 of the bytes before it.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func endsWithItsDigest(pace: (Int) throws -> Void) throws(Failure) -> Bool {
    let end = byteCount - Int64(Digest.byteCount)
    var hasher = SHA256()
    var rest: [UInt8] = []
    try forEachBlock(pace: pace) { number, bytes in
      let start = Int64(number) * Int64(BlockDigests.usualBlockSize)
      let hashed = Int(max(0, min(Int64(bytes.count), end - start)))
      hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<hashed]))
      rest += bytes[hashed...]
      return true
    }
    let found = hasher.finalize()
    return end >= 0 && found.bytes.elementsEqual(rest)
  }
}
