import CLinux
import Glibc

/// Restricts a process's access to files with Landlock, which Linux has had since 5.13.
enum FileRules {
  /// Access rights, as Landlock's bits.
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
  /// The rights that apply to a file that is not a directory.
  private static let ofFiles = readFile | writeFile | truncate

  /// Restricts the calling thread to these files, and denies it TCP ports. Returns Landlock's version, or `nil` if the
  /// kernel does not have Landlock, in which case nothing changes.
  static func enter(readable: [String], writable: [String]) throws(SandboxError) -> Int? {
    let version = sheaf_landlock_version()
    guard version > 0 else { return nil }
    let known = rights(version)
    var scope = sheaf_landlock_scope(
      files: known, network: version >= 4 ? 0b11 : 0, processes: version >= 6 ? 0b11 : 0)
    let rules = sheaf_landlock_create(&scope, version)
    guard rules >= 0 else { throw failure("Landlock cannot create rules") }
    defer { close(rules) }
    for path in readable { try allow(reading & known, at: path, in: rules) }
    for path in writable { try allow((reading | writing) & known, at: path, in: rules) }
    guard sheaf_landlock_enter(rules) == 0 else { throw failure("Landlock cannot be enabled") }
    return Int(version)
  }

  /// All access rights to files that a version of Landlock can restrict.
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
    // Files that do not exist, or that this user cannot open, stay inaccessible. The number is O_PATH, which Swift's
    // Glibc lacks.
    let place = open(path, 0o10000000 | O_CLOEXEC)
    guard place >= 0 else { return }
    defer { close(place) }
    var status = stat()
    guard fstat(place, &status) == 0 else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard sheaf_landlock_allow(rules, isDirectory ? rights : rights & ofFiles, place) == 0 else {
      throw failure("Landlock rejects a rule for \(path)")
    }
  }

  private static func failure(_ problem: String) -> SandboxError {
    SandboxError(problem, remedy: "see docs/operating.md", number: errno)
  }
}
