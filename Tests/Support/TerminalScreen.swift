import FarmAPI

/// The screen of a terminal after it has received some text: the part of ECMA-48 that Sheaf uses.
public struct TerminalScreen {
  /// The width.
  public let columns: Int
  /// The lines, from the first one that was ever shown.
  public private(set) var rows: [[Character]] = [[]]
  /// The number of characters that did not fit in their line and went to the next.
  public private(set) var wraps = 0
  /// The number of control sequences that set colors or weights.
  public private(set) var styles = 0
  /// Whether the cursor is visible.
  public private(set) var isCursorVisible = true
  /// The control sequences that this type does not know.
  public private(set) var unknown: [String] = []
  /// The largest number of cells that a line had at any time.
  public private(set) var widest = 0
  private var row = 0
  private var column = 0

  /// Shows a text.
  public init(_ text: String, columns: Int) {
    self.columns = columns
    var rest = Array(text.unicodeScalars)[...]
    var cluster = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1b}", "\r", "\n":
        show(&cluster)
        if scalar == "\r" { column = 0 }
        if scalar == "\n" { goDown() }
        if scalar == "\u{1b}" { control(&rest) }
      default: cluster.unicodeScalars.append(scalar)
      }
    }
    show(&cluster)
  }

  /// The lines as text, without spaces at their ends.
  public var lines: [String] {
    rows.map { row in
      var line = String(row.filter { $0 != "\0" })
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private mutating func show(_ cluster: inout String) {
    for character in cluster {
      let width = PrintableText(String(character)).columns
      if column + width > columns {
        wraps += 1
        column = 0
        goDown()
      }
      while rows[row].count < column + width { rows[row].append(" ") }
      rows[row][column] = character
      // The second cell of a wide character.
      if width == 2 { rows[row][column + 1] = "\0" }
      column += width
      widest = max(widest, column)
    }
    cluster = ""
  }

  private mutating func goDown() {
    row += 1
    while rows.count <= row { rows.append([]) }
  }

  private mutating func control(_ rest: inout ArraySlice<Unicode.Scalar>) {
    guard rest.popFirst() == "[" else { return unknown.append("ESC") }
    var parameters = ""
    while let scalar = rest.popFirst() {
      guard scalar.value >= 0x40 else {
        parameters.unicodeScalars.append(scalar)
        continue
      }
      switch (scalar, parameters) {
      case ("m", _): styles += 1
      case ("A", _): row = max(0, row - (Int(parameters) ?? 1))
      case ("K", ""): rows[row].removeSubrange(min(column, rows[row].count)...)
      case ("J", ""):
        rows[row].removeSubrange(min(column, rows[row].count)...)
        rows.removeSubrange((row + 1)...)
      case ("h", "?25"), ("l", "?25"): isCursorVisible = scalar == "h"
      case ("h", "?2026"), ("l", "?2026"): break
      default: unknown.append("CSI \(parameters)\(scalar)")
      }
      return
    }
  }
}
