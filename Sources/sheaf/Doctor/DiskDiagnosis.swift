import FarmAPI
import Foundation
import Processes
import Threads

/// Checks directories and the space on their disks.
package struct DiskDiagnosis: Hashable, Sendable {
  /// The facts about a directory.
  package struct Facts: Hashable, Sendable {
    /// Whether the directory exists.
    package var exists = true
    /// The reason why nothing can be written to it, or to the parent in which it is to be created.
    package var problem: String?
    /// The free bytes; `nil` if that is unknown.
    package var free: Int64?
    /// The free inodes; `nil` if the file system creates them on demand.
    package var inodes: UInt64?

    package init(
      exists: Bool = true, problem: String? = nil, free: Int64? = nil, inodes: UInt64? = nil
    ) {
      self.exists = exists
      self.problem = problem
      self.free = free
      self.inodes = inodes
    }
  }

  /// The name of the check.
  package let check: String
  /// The path of the directory.
  package let path: String
  /// The free bytes without which work fails.
  package let least: Int64
  /// The free bytes below which work is likely to fail.
  package let few: Int64
  /// How to use another directory.
  package let alternative: String

  /// The directory for temporary files, which hold the pictures of layers.
  package static func temporary(_ path: String = TemporaryFolder.parent) -> DiskDiagnosis {
    DiskDiagnosis(
      check: "temporary directory", path: path, least: 64 << 20, few: 1 << 30,
      alternative: "set TMPDIR to a directory with more space")
  }

  /// The data directory of a coordinator, which refuses work if less than its reserve is free.
  package static func data(_ path: String) -> DiskDiagnosis {
    DiskDiagnosis(
      check: "data directory", path: path, least: 128 << 20, few: 10 << 30,
      alternative: "move it to a larger disk")
  }

  /// Asks the system, and judges the answer.
  func check() async throws -> Diagnosis {
    let path = path
    return diagnosis(
      of: try await BlockingThread.runUntilCancelled(named: "disk") { Self.facts(of: path) })
  }

  /// Judges the facts about the directory.
  package func diagnosis(of facts: Facts) -> Diagnosis {
    if let problem = facts.problem {
      return .failed(
        check, "cannot write to \(path): \(problem)",
        fix: "give this user access to it, or \(alternative)")
    }
    if let inodes = facts.inodes, inodes < 64 {
      return .failed(
        check, "\(path) has only \(inodes) inodes left", fix: "remove files, or \(alternative)")
    }
    guard let free = facts.free else {
      return .warning(
        check, "the free space of \(path) is unknown",
        fix: "make sure that it has at least \(ByteCount(few))")
    }
    let message = "\(path) has \(ByteCount(free)) free"
    if free < least { return .failed(check, message, fix: "free some space, or \(alternative)") }
    if free < few {
      return .warning(
        check, "\(message), which is little", fix: "free some space, or \(alternative)")
    }
    return .ok(
      check, message + (facts.exists ? "" : "; the coordinator creates it when it starts"))
  }

  /// Blocks if the file system does.
  private static func facts(of path: String) -> Facts {
    var facts = Facts()
    var status = stat()
    var place = URL(fileURLWithPath: path)
    facts.exists = stat(path, &status) == 0
    while stat(place.path, &status) != 0, place.path != "/" { place.deleteLastPathComponent() }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      facts.problem = "\(place.path) is not a directory"
      return facts
    }
    guard access(place.path, W_OK | X_OK) == 0 else {
      let parent = facts.exists ? "" : " (\(place.path))"
      facts.problem = String(cString: strerror(errno)) + parent
      return facts
    }
    var disk = statvfs()
    guard statvfs(place.path, &disk) == 0 else { return facts }
    facts.free = Int64(clamping: UInt64(disk.f_bavail) &* UInt64(disk.f_frsize))
    if disk.f_files > 0 { facts.inodes = UInt64(disk.f_favail) }
    return facts
  }
}
