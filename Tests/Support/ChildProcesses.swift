import Foundation

/// Information from Linux about processes and their children.
public enum ChildProcesses {
  /// The running children of a process.
  public static func of(_ parent: pid_t) -> [pid_t] {
    (listed(of: parent) ?? all).filter { pid in
      guard let status = status(of: pid) else { return false }
      return status.parent == parent && status.state != "Z"
    }
  }

  /// The running descendants of a process.
  public static func descendants(of parent: pid_t) -> [pid_t] {
    of(parent).flatMap { [$0] + descendants(of: $0) }
  }

  /// The children in the kernel's lists for a process's threads, if it keeps such lists. This is much faster than a
  /// search.
  private static func listed(of parent: pid_t) -> [pid_t]? {
    let threads = "/proc/\(parent)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []
    guard FileManager.default.fileExists(atPath: "\(threads)/\(parent)/children") else {
      return nil
    }
    return names.flatMap { name in
      // Not as `Data`: Foundation leaks a page for each empty file that it reads so.
      let text = try? String(contentsOfFile: "\(threads)/\(name)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
  }

  private static var all: [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }
  }

  /// Whether a process exists and has not ended.
  public static func isAlive(_ pid: pid_t) -> Bool {
    guard let status = status(of: pid) else { return false }
    return status.state != "Z"
  }

  /// The files that a process has open.
  public static func files(of pid: pid_t) -> [String] {
    let folder = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }

  /// The initial environment of a process, each variable as `NAME=value`.
  public static func environment(of pid: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/environ") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The command line of a process, its name first.
  public static func arguments(of pid: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func status(of pid: pid_t) -> (state: Substring, parent: pid_t)? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 1, let parent = pid_t(fields[1]) else { return nil }
    return (fields[0], parent)
  }
}
