/// Computes what to write so that a terminal shows some lines, which replace the ones before, with as little as possible.
///
/// The cursor stays on the last of the lines, and is hidden while there are any.
package struct Painter: Hashable, Sendable {
  private var drawn: [String] = []
  private var widths: [Int] = []

  /// Whether the terminal shows lines, and hides its cursor.
  package var isActive: Bool { !drawn.isEmpty }

  package init() {}

  /// The text that replaces the lines.
  ///
  /// Nothing is written for a line that does not change. The terminal shows the result at once if it knows synchronized
  /// output (mode 2026); others ignore that.
  package mutating func paint(_ lines: [StyledLine], columns: Int, hasColor: Bool) -> String {
    let fitting = lines.map { $0.columns > columns ? $0.prefix(columns: columns) : $0 }
    let rendered = fitting.map { $0.rendered(hasColor: hasColor) }
    guard rendered != drawn else { return "" }
    guard !rendered.isEmpty else { return erase() }
    var text = "\u{1b}[?2026h" + (isActive ? "" : "\u{1b}[?25l") + home
    let isRedrawn = rendered.count != drawn.count
    if isRedrawn { text += "\u{1b}[J" }
    for (number, line) in rendered.enumerated() {
      if number > 0 { text += "\r\n" }
      if !isRedrawn, line == drawn[number] { continue }
      text += line
      // At the end of a full line, this would erase its last character.
      if !isRedrawn, fitting[number].columns < columns { text += "\u{1b}[K" }
    }
    (drawn, widths) = (rendered, fitting.map(\.columns))
    return text + "\u{1b}[?2026l"
  }

  /// The text that removes the lines and shows the cursor again.
  package mutating func erase() -> String {
    guard isActive else { return "" }
    let text = home + "\u{1b}[J\u{1b}[?25h"
    (drawn, widths) = ([], [])
    return text
  }

  /// The text that removes the lines after the terminal's width has changed, when it may have wrapped them.
  package mutating func eraseWrapped(columns: Int) -> String {
    guard isActive else { return "" }
    let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(columns, 1)) }
    let text = Self.up(rows - 1) + "\u{1b}[J"
    (drawn, widths) = ([], [])
    return text
  }

  /// Moves the cursor to the start of the first line.
  private var home: String { isActive ? Self.up(drawn.count - 1) : "\r" }

  private static func up(_ rows: Int) -> String { "\r" + (rows > 0 ? "\u{1b}[\(rows)A" : "") }
}
