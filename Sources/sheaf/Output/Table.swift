import FarmAPI

/// A table with headings, whose columns are as wide as their widest cell on a terminal.
package struct Table: Hashable, Sendable {
  private var rows: [[PrintableText]]

  /// A table with headings and no rows.
  package init(_ headings: String...) { rows = [headings.map(PrintableText.init)] }

  /// Adds a row with a cell for each heading.
  package mutating func add(_ cells: String...) {
    rows.append(cells.map(PrintableText.init))
  }

  /// The lines, headings first, without spaces at their ends.
  package var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = zip(row, widths).map { $0.padded(toColumns: $1) }.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
