import CLinux
import Foundation

/// The environment variables that a child process receives: only those on a list.
///
/// A process's environment may hold secrets such as tokens, proxy passwords and cloud keys. A child that opens media
/// must not see them, so only variables that are known to be harmless are passed on.
public enum ChildEnvironment {
  /// The names that are passed on.
  private static let names: Set<String> = [
    // The paths of fontconfig, caches and temporary files.
    "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    // The paths of programs and libraries; the Swift runtime may be installed beside the compiler.
    "PATH", "LD_LIBRARY_PATH",
    // The language and time zone of messages.
    "LANG", "LANGUAGE", "TZ",
    // The options of sanitizers and coverage in instrumented builds.
    "ASAN_OPTIONS", "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "UBSAN_OPTIONS",
  ]

  /// The variables of an environment that a child receives.
  public static func allowed(
    from environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    environment.filter { isAllowed($0.key) }
  }

  private static func isAllowed(_ name: String) -> Bool {
    names.contains(name) || name.hasPrefix("LC_")
  }

  /// Removes all other variables from this process. Only a process with a single thread may call this.
  static func forgetOthers() {
    sheaf_keep_environment { name in
      name.map { ChildEnvironment.isAllowed(String(cString: $0)) } == true ? 1 : 0
    }
  }

  /// The variables for a child that enters a sandbox.
  static func confined() -> [String: String] {
    var passed = allowed()
    // Swift's runtime starts a program to print where a process crashed, which the sandbox forbids.
    passed["SWIFT_BACKTRACE"] = "enable=no"
    return passed
  }
}
