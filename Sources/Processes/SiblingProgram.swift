import CLinux
import Foundation

/// A program that is installed next to this one.
public enum SiblingProgram {
  /// The path that a program has if it is installed.
  public static func path(of program: String) -> String {
    // Not /proc/self, which has no executable once the first thread has ended.
    let link = "/proc/thread-self/exe"
    var own = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
    // The kernel says so if the file has been replaced, e.g. by an upgrade.
    let ending = " (deleted)"
    if own.hasSuffix(ending) { own.removeLast(ending.count) }
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(program)
      .path
  }

  /// Opens a program until this process ends.
  ///
  /// - Returns: a path for ``Spawn`` that stands for the program as it is now, even after an upgrade has replaced its
  ///   file.
  public static func pin(_ path: String) throws(ProcessError) -> String {
    let descriptor = sheaf_open_path(path)
    guard descriptor >= 0 else {
      throw errno == ENOENT
        ? ProcessError(notFound: path) : ProcessError("cannot open the program \(path)", errno)
    }
    return self.path(ofDescriptor: descriptor)
  }

  private static let descriptors = "/proc/self/fd/"

  /// The path of a descriptor's file in the process that has the descriptor.
  static func path(ofDescriptor descriptor: Int32) -> String { "\(descriptors)\(descriptor)" }

  /// The descriptor of a pinned program; `nil` for any other path.
  static func descriptor(of path: String) -> Int32? {
    path.hasPrefix(descriptors) ? Int32(path.dropFirst(descriptors.count)) : nil
  }
}
