import Foundation

/// A directory of this run alone, which is gone when it ends; what a killed run left is removed by the next one.
final class WorkingDirectory: Sendable {
  /// The absolute path.
  let path: String
  private let lock: Int32

  private static let prefix = ".sheaf-render-"

  /// Creates a directory in `parent`, and removes those in it whose run is over.
  ///
  /// - Throws: ``CommandFailure``.
  init(in parent: String) throws(CommandFailure) {
    // One run at a time creates and sweeps, so that none takes another's directory for one that nobody has locked.
    let turn = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    flock(turn, LOCK_EX)
    defer { close(turn) }
    Self.sweep(parent)
    var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure(
        .failed, "cannot create a working directory", on: parent,
        remedy: "save the output in another directory (\(String(cString: strerror(errno))))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    lock = open("\(path)/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    flock(lock, LOCK_EX)
  }

  /// Removes the directory with everything in it.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  deinit { close(lock) }

  /// A run holds the lock in its directory until the kernel takes it away.
  private static func sweep(_ parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let lock = open("\(parent)/\(name)/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      guard lock >= 0 else { continue }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 {
        try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      }
      close(lock)
    }
  }
}
