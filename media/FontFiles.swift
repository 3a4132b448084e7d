import Foundation

/// The files and directories of fonts and of fontconfig's configuration.
enum FontFiles {
  /// Those that are not in ``Sandbox/systemFiles``.
  static let all: [String] = {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"] ?? NSHomeDirectory()
    let named = ["FONTCONFIG_FILE", "FONTCONFIG_PATH"].compactMap { variables[$0] }
    let data = variables["XDG_DATA_HOME"] ?? "\(home)/.local/share"
    let settings = variables["XDG_CONFIG_HOME"] ?? "\(home)/.config"
    let cache = variables["XDG_CACHE_HOME"] ?? "\(home)/.cache"
    return ["/etc/fonts", "/var/cache/fontconfig"] + named + [
      "\(home)/.fonts", "\(data)/fonts", "\(settings)/fontconfig", "\(cache)/fontconfig",
    ]
  }()
}
