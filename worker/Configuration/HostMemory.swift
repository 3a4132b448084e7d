import Foundation

/// The memory of the host, or of the control group that the worker runs in.
package enum HostMemory {
  /// The default of `--memory`: the host's memory, or the lowest limit of the worker's control group and the groups
  /// around it, minus a reserve for the worker itself, other programs and the system's file cache.
  static var usable: Int {
    let groups = limitFiles(ofGroups: text(at: "/proc/self/cgroup") ?? "")
    let limits = groups.compactMap { text(at: $0).flatMap(limit) }
    let host = total(inMeminfo: text(at: "/proc/meminfo") ?? "") ?? smallest
    return max(afterReserve(limits.reduce(host, min)), smallest)
  }

  /// The smallest memory that a worker may offer: that of a render process that has not opened anything.
  package static let smallest = 64 << 20

  /// The memory without the reserve: the larger of 512 MiB and a tenth, but at most half.
  package static func afterReserve(_ bytes: Int) -> Int {
    bytes - min(max(512 << 20, bytes / 10), bytes / 2)
  }

  /// The host's memory in bytes, from the text of `/proc/meminfo`.
  package static func total(inMeminfo text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix("MemTotal:") {
      let words = line.split(separator: " ")
      guard words.count == 3, words[2] == "kB", let kibibytes = Int(words[1]) else { return nil }
      return kibibytes * 1024
    }
    return nil
  }

  /// The files with the memory limits of a process's control group and all groups around it, from the text of
  /// `/proc/PID/cgroup`. In a container, some of them may not exist.
  package static func limitFiles(ofGroups text: String) -> [String] {
    text.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let (root, file): (String, String)
      if parts[0] == "0", parts[1].isEmpty {
        (root, file) = ("/sys/fs/cgroup", "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (root, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        return []
      }
      let names = parts[2].split(separator: "/")
      return (0...names.count).map { count in
        ([root] + names.prefix(count).map(String.init) + [file]).joined(separator: "/")
      }
    }
  }

  /// A control group's memory limit in bytes, from the text of its file; `nil` if it has none. Version 1 of control groups
  /// writes a number near the largest one instead of `max`.
  package static func limit(_ text: String) -> Int? {
    let word = text.split(whereSeparator: \.isWhitespace).first ?? ""
    return Int(word).flatMap { (1..<(1 << 60)).contains($0) ? $0 : nil }
  }

  private static func text(at path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
