import Foundation

/// The colors and characters that a terminal can show.
package struct TerminalStyle: Hashable, Sendable {
  /// Whether text may have colors and weights.
  package var hasColor: Bool
  /// Whether characters beyond ASCII may be used to draw.
  package var hasBlocks: Bool

  package init(hasColor: Bool, hasBlocks: Bool) {
    self.hasColor = hasColor
    self.hasBlocks = hasBlocks
  }

  /// Creates the style that the environment asks for: no color if `NO_COLOR` is set, and blocks in a UTF-8 locale.
  package init(environment: [String: String]) {
    hasColor = environment["NO_COLOR"].map(\.isEmpty) ?? true
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    hasBlocks = name.contains("utf-8") || name.contains("utf8")
  }

  /// Whether the environment names a terminal that can redraw lines.
  static func canRedraw(_ environment: [String: String]) -> Bool {
    environment["TERM"].map { $0 != "dumb" && !$0.isEmpty } ?? false
  }
}
