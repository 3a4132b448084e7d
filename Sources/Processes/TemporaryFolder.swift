import Foundation

/// A private folder in the system's folder for temporary files, which is removed with this object.
///
/// A lock on the folder shows that its process is alive, because the kernel releases the lock when the process ends. A
/// later process can therefore find and remove the folders of killed processes.
public final class TemporaryFolder: Sendable {
  /// The purpose of a folder, which its name states.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The part of the folder's name that states the purpose: lowercase letters.
    public let rawValue: String

    /// Creates a kind.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// An error of creating a folder.
  public struct CreationError: Error, CustomStringConvertible {
    /// The problem and its remedy.
    public let description: String

    init(_ parent: String, _ number: Int32) {
      description =
        "cannot create a temporary folder: \(parent): \(String(cString: strerror(number))): "
        + "set TMPDIR to a writable local folder"
    }
  }

  /// The absolute path, without symbolic links.
  public let path: String
  private let lock: Int32

  /// The system's folder for temporary files, without symbolic links. `TMPDIR` names it; the default is `/tmp`.
  public static var parent: String { real(FileManager.default.temporaryDirectory.path) }

  private static func real(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func prefix(_ kind: Kind) -> String { "sheaf-\(kind.rawValue)-" }

  private static let tries = 100

  /// Creates an empty folder that only this user can read.
  public convenience init(_ kind: Kind) throws(CreationError) {
    try self.init(kind, in: TemporaryFolder.parent)
  }

  /// Creates an empty folder in `parent` that only this user can read.
  package init(_ kind: Kind, in parent: String) throws(CreationError) {
    (path, lock) = try Self.create(kind, in: Self.real(parent))
  }

  private static func create(
    _ kind: Kind, in parent: String
  ) throws(CreationError) -> (path: String, lock: Int32) {
    for _ in 0..<tries {
      var template = Array("\(parent)/\(prefix(kind))XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw CreationError(parent, errno) }
      let path = String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let descriptor = acquire(path) { return (path, descriptor) }
      // Another process took it for a leftover before it was locked, and is removing it.
      rmdir(path)
    }
    throw CreationError(parent, ENOLCK)
  }

  /// Removes the folders of a kind whose processes have ended.
  ///
  /// - Parameter clear: cleans up what a folder records. If it returns `false`, the folder stays for a later sweep.
  public static func sweep(_ kind: Kind, clearing clear: (String) -> Bool = { _ in true }) {
    sweep(kind, in: parent, clearing: clear)
  }

  /// Removes the folders of a kind in `parent` whose processes have ended.
  ///
  /// - Parameter clear: cleans up what a folder records. If it returns `false`, the folder stays for a later sweep.
  package static func sweep(
    _ kind: Kind, in parent: String, clearing clear: (String) -> Bool = { _ in true }
  ) {
    let parent = real(parent)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix(kind)) {
      let path = "\(parent)/\(name)"
      guard let descriptor = acquire(path) else { continue }
      if clear(path) { try? FileManager.default.removeItem(atPath: path) }
      close(descriptor)
    }
  }

  /// Locks a folder of this user. Returns `nil` if another process holds the lock, or if the path no longer leads to
  /// the folder.
  private static func acquire(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var (locked, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &locked) == 0,
      lstat(path, &named) == 0, locked.st_dev == named.st_dev, locked.st_ino == named.st_ino,
      locked.st_uid == geteuid()
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }
}
