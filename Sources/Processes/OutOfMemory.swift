import CLinux

/// The way in which a child process ends when it runs out of memory.
public enum OutOfMemory {
  /// The exit code by which its parent recognizes that.
  public static let exitCode = Int32(sheaf_code_without_memory)

  /// Makes this process exit with ``exitCode`` if it crashes after it ran out of memory.
  public static func endWithCode() { sheaf_end_without_memory() }
}
