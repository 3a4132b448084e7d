import CLinux

/// The name that lists of processes show.
public enum ProcessName {
  /// Sets the name, of which 15 bytes are kept. Call it on the first thread.
  public static func set(_ name: String) { _ = sheaf_set_name(name) }
}
