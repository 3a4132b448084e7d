import CLinux
import Glibc

/// The process that started this one as a ``ConnectedChild``.
public enum ParentProcess {
  /// Makes the kernel kill this process when its parent ends.
  public static func endWithIt() { _ = sheaf_die_with_parent() }

  /// The channel to the parent, which is this process's standard input. Call it once.
  ///
  /// - Parameter largest: the maximum size of a received message, in bytes.
  public static func channel(largest: Int) -> MessageChannel {
    MessageChannel(taking: STDIN_FILENO, largest: largest)
  }
}
