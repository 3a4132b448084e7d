import Foundation

/// The environment variables that a child process receives: those on a list, and no others.
///
/// A process's environment may hold anything: tokens, passwords of proxies, keys of cloud services. A child that opens
/// media must not see them, so a variable that is not known to be harmless stays behind.
public enum ChildEnvironment {
  /// The names that pass.
  private static let names: Set<String> = [
    // Where fontconfig and caches are, and where temporary files go.
    "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    // Where programs and libraries are: the Swift runtime may lie beside the compiler.
    "PATH", "LD_LIBRARY_PATH",
    // Language and time zone of messages.
    "LANG", "LANGUAGE", "TZ",
    // What sanitizers and coverage ask of an instrumented build.
    "ASAN_OPTIONS", "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "UBSAN_OPTIONS",
  ]

  /// The variables of an environment that a child receives.
  public static func allowed(
    from environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    environment.filter { names.contains($0.key) || $0.key.hasPrefix("LC_") }
  }
}
