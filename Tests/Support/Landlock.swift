import Foundation

/// Facts about the kernel.
public enum Landlock {
  /// Whether the kernel lists Landlock, or lists nothing.
  public static let isPresent: Bool = {
    guard let list = try? String(contentsOfFile: "/sys/kernel/security/lsm", encoding: .utf8) else {
      return true
    }
    return list.contains("landlock")
  }()
}
