import Glibc

/// The header of a database file, read without opening the database.
///
/// Reading it releases the locks of this process on the file, because POSIX record locks end when any descriptor of the
/// file is closed. Read it before this process opens the database.
public struct DatabaseHeader: Hashable, Sendable {
  /// Whether the database uses a write-ahead log.
  public let usesLog: Bool
  /// The number of the last migration, not including changes that are only in the log.
  public let schemaVersion: Int

  /// Reads the header of the file at `path`. Returns `nil` if the file cannot be read or is not a database.
  ///
  /// The layout: https://www.sqlite.org/fileformat2.html#the_database_header
  public init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
      bytes.starts(with: Array("SQLite format 3\0".utf8))
    else { return nil }
    // The version needed to read the file: 1 without a log, 2 with one.
    usesLog = bytes[19] == 2
    let version = bytes[60..<64].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    schemaVersion = Int(Int32(bitPattern: version))
  }
}
