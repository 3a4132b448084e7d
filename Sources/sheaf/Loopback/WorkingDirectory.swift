import Foundation
import Processes

extension TemporaryFolder.Kind {
  /// A record of a run's working directory, which is elsewhere.
  static let run = Self(rawValue: "run")
}

/// A directory for one run, which is removed when the run ends. The next run removes the directories of killed ones.
///
/// A link in a ``TemporaryFolder`` leads to it, so that the next run finds it wherever that run writes its own output.
/// Locks on two files in it show which processes are alive, because the kernel releases them when their holders end.
/// The run holds `lock`; the run, its coordinator and its workers hold `children`.
final class WorkingDirectory: Sendable {
  /// The absolute path.
  let path: String
  /// A descriptor that holds the children's lock. Each child inherits it.
  let childrenLock: Int32
  private let lock: Int32
  /// Holds the link. Without a folder for temporary files, only a run with an output in the same parent finds the
  /// directory.
  private let record: TemporaryFolder?

  private static let prefix = ".sheaf-render-"
  private static let children = "children"
  private static let link = "directory"
  /// The number of attempts to remove the directory before it is left to the next run.
  private static let removals = 10
  /// The time that the children of a killed run may take to end after they are killed.
  private static let grace = Duration.seconds(5)

  /// Creates a directory in `parent`, and removes the directories of runs that were killed.
  ///
  /// - Throws: ``CommandFailure``.
  init(in parent: String) throws(CommandFailure) {
    Self.sweepRecorded()
    // Only one run at a time creates and sweeps directories, so that no run mistakes another's new directory for an
    // unlocked one.
    let turn = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    flock(turn, LOCK_EX)
    defer { close(turn) }
    Self.sweep(parent)
    path = "\(parent)/\(Self.prefix)\(UUID().uuidString.prefix(8))"
    record = try? TemporaryFolder(.run)
    if let record { symlink(path, "\(record.path)/\(Self.link)") }
    guard mkdir(path, 0o700) == 0 else {
      throw CommandFailure(
        .failed, "cannot create a working directory", on: parent,
        remedy: "save the output in another directory (\(String(cString: strerror(errno))))")
    }
    childrenLock = Self.openLock("\(path)/\(Self.children)")
    flock(childrenLock, LOCK_EX)
    lock = Self.openLock("\(path)/lock")
    flock(lock, LOCK_EX)
  }

  /// Removes the directory with everything in it. A process that is being killed may still complete a file.
  func remove() {
    for _ in 0..<Self.removals where access(path, F_OK) == 0 {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  deinit {
    close(lock)
    close(childrenLock)
  }

  private static func openLock(_ path: String) -> Int32 {
    open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  }

  /// Removes the directories that killed runs left in `parent`.
  private static func sweep(_ parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) { _ = clear("\(parent)/\(name)") }
  }

  /// Removes the directories that killed runs left anywhere, and the layer pictures that they drew.
  private static func sweepRecorded() {
    TemporaryFolder.sweep(.layers)
    TemporaryFolder.sweep(.run) { record in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(record)/\(link)")
      guard let target, URL(fileURLWithPath: target).lastPathComponent.hasPrefix(prefix) else {
        return true
      }
      return clear(target)
    }
  }

  /// Removes a directory whose run is over, and kills the processes that the run had started. Returns whether it is gone.
  private static func clear(_ folder: String) -> Bool {
    let lock = openLock("\(folder)/lock")
    guard lock >= 0 else { return access(folder, F_OK) != 0 }
    defer { close(lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0, endChildren(of: folder) else { return false }
    try? FileManager.default.removeItem(atPath: folder)
    return access(folder, F_OK) != 0
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
