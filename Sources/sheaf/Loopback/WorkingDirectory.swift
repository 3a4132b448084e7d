import Foundation

/// A directory for one run, which is removed when the run ends. The next run removes the directories of killed ones.
///
/// Locks on two files in it show which processes are alive, because the kernel releases them when their holders end.
/// The run holds `lock`; the run, its coordinator and its workers hold `children`.
final class WorkingDirectory: Sendable {
  /// The absolute path.
  let path: String
  /// A descriptor that holds the children's lock. Each child inherits it.
  let childrenLock: Int32
  private let lock: Int32

  private static let prefix = ".sheaf-render-"
  private static let children = "children"
  /// The time that the children of a killed run may take to end after they are killed.
  private static let grace = Duration.seconds(5)

  /// Creates a directory in `parent`, and removes those in it whose run is over.
  ///
  /// - Throws: ``CommandFailure``.
  init(in parent: String) throws(CommandFailure) {
    // Only one run at a time creates and sweeps directories, so that no run mistakes another's new directory for an
    // unlocked one.
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
    childrenLock = Self.openLock("\(path)/\(Self.children)")
    flock(childrenLock, LOCK_EX)
    lock = Self.openLock("\(path)/lock")
    flock(lock, LOCK_EX)
  }

  /// Removes the directory with everything in it.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  deinit {
    close(lock)
    close(childrenLock)
  }

  private static func openLock(_ path: String) -> Int32 {
    open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  }

  /// Removes the directories that ended runs left behind, and kills the processes that they had started.
  private static func sweep(_ parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = "\(parent)/\(name)"
      let lock = openLock("\(folder)/lock")
      guard lock >= 0 else { continue }
      defer { close(lock) }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0, endChildren(of: folder) else { continue }
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Kills the remaining processes of an ended run, because they would write to the directory. Returns whether all are
  /// gone.
  private static func endChildren(of folder: String) -> Bool {
    let lock = openLock("\(folder)/\(children)")
    guard lock >= 0 else { return true }
    defer { close(lock) }
    let end = ContinuousClock.now + grace
    while true {
      let left = processes(in: folder)
      if left.isEmpty, flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
      guard ContinuousClock.now < end else { return false }
      for process in left { kill(process, SIGKILL) }
      usleep(10_000)
    }
  }

  /// The processes of Sheaf's programs, except this one, that have a file in a folder open.
  private static func processes(in folder: String) -> [pid_t] {
    let manager = FileManager.default
    let inside = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
    let all = (try? manager.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { process in
      let (program, files) = ("/proc/\(process)/exe", "/proc/\(process)/fd")
      guard process != getpid(),
        let path = try? manager.destinationOfSymbolicLink(atPath: program),
        URL(fileURLWithPath: path).lastPathComponent.hasPrefix("sheaf")
      else { return false }
      return ((try? manager.contentsOfDirectory(atPath: files)) ?? []).contains {
        (try? manager.destinationOfSymbolicLink(atPath: "\(files)/\($0)"))?.hasPrefix(inside)
          ?? false
      }
    }
  }
}
