import Foundation

/// A program that is installed next to this one.
public enum SiblingProgram {
  /// The path that a program has if it is installed.
  public static func path(of program: String) -> String {
    // Not /proc/self, which has no executable once the first thread has ended.
    let own = URL(fileURLWithPath: "/proc/thread-self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appendingPathComponent(program).path
  }

  /// The path under which this process can start a program as it is now, even after an upgrade has replaced its file. The
  /// program stays open as long as this process.
  ///
  /// If its file cannot be opened, the result is the given path, so that starting it fails with the reason.
  public static func pin(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    return descriptor < 0 ? path : self.path(ofDescriptor: descriptor)
  }

  private static let descriptors = "/proc/self/fd/"

  /// The path of a descriptor's file in the process that has the descriptor.
  static func path(ofDescriptor descriptor: Int32) -> String { "\(descriptors)\(descriptor)" }

  /// The descriptor of a pinned program; `nil` for any other path.
  public static func descriptor(of path: String) -> Int32? {
    path.hasPrefix(descriptors) ? Int32(path.dropFirst(descriptors.count)) : nil
  }
}
