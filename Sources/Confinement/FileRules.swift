import CLinux
import Glibc

/// Keeps a process from files by Landlock, which Linux has since 5.13.
enum FileRules {
  /// Rights by Landlock's bits.
  private static let writeFile: UInt64 = 1 << 1
  private static let readFile: UInt64 = 1 << 2
  private static let readDirectory: UInt64 = 1 << 3
  private static let removeDirectory: UInt64 = 1 << 4
  private static let removeFile: UInt64 = 1 << 5
  private static let makeDirectory: UInt64 = 1 << 7
  private static let makeFile: UInt64 = 1 << 8
  private static let moveFile: UInt64 = 1 << 13
  private static let truncate: UInt64 = 1 << 14

  private static let reading = readFile | readDirectory
  private static let writing =
    writeFile | removeDirectory | removeFile | makeDirectory | makeFile | moveFile | truncate
  /// The rights on a file that is not a directory.
  private static let ofFiles = readFile | writeFile | truncate

  /// Leaves the calling thread with these files, and without TCP ports, and returns Landlock's version; `nil` if the
  /// kernel has none, and nothing is changed.
  static func enter(readable: [String], writable: [String]) throws(SandboxError) -> Int? {
    let version = sheaf_landlock_version()
    guard version > 0 else { return nil }
    let known = rights(version)
    var scope = sheaf_landlock_scope(
      files: known, network: version >= 4 ? 0b11 : 0, processes: version >= 6 ? 0b11 : 0)
    let rules = sheaf_landlock_create(&scope, version)
    guard rules >= 0 else { throw failure("Landlock makes no rules") }
    defer { close(rules) }
    for path in readable { try allow(reading & known, at: path, in: rules) }
    for path in writable { try allow((reading | writing) & known, at: path, in: rules) }
    guard sheaf_landlock_enter(rules) == 0 else { throw failure("Landlock does not hold") }
    return Int(version)
  }

  /// All that a version of Landlock can forbid of files.
  private static func rights(_ version: Int32) -> UInt64 {
    switch version {
    case 1: (1 << 13) - 1
    case 2: (1 << 14) - 1
    case 3, 4: (1 << 15) - 1
    default: (1 << 16) - 1
    }
  }

  private static func allow(
    _ rights: UInt64, at path: String, in rules: Int32
  ) throws(SandboxError) {
    // Files that do not exist, or that this user cannot open, stay out of reach. O_PATH, which Swift's Glibc does not
    // have.
    let place = open(path, 0o10000000 | O_CLOEXEC)
    guard place >= 0 else { return }
    defer { close(place) }
    var status = stat()
    guard fstat(place, &status) == 0 else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard sheaf_landlock_allow(rules, isDirectory ? rights : rights & ofFiles, place) == 0 else {
      throw failure("Landlock does not take \(path)")
    }
  }

  private static func failure(_ problem: String) -> SandboxError {
    SandboxError(problem, remedy: "see docs/operating.md", number: errno)
  }
}
