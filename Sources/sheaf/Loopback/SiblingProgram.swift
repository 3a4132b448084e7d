import Foundation

/// The programs of Sheaf that are installed next to this one.
enum SiblingProgram {
  /// The path that a program has if it is installed.
  static func path(of program: String) -> String {
    // Not /proc/self, which has no executable once the first thread has ended.
    let own = URL(fileURLWithPath: "/proc/thread-self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appendingPathComponent(program).path
  }
}
