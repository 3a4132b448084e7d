import Foundation

/// What Linux shows of processes and their children.
public enum ChildProcesses {
  /// The running children of a process.
  public static func of(_ parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { pid in
      guard let status = status(of: pid) else { return false }
      return status.parent == parent && status.state != "Z"
    }
  }

  /// Whether a process is there and has not ended.
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

  /// The variables that a process was started with, each as `NAME=value`.
  public static func environment(of pid: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/environ") ?? Data()
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
