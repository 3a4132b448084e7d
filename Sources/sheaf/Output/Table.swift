/// Rows under headings, in columns as wide as their widest cell.
package struct Table: Hashable, Sendable {
  private var rows: [[String]]

  /// A table with headings and no rows.
  package init(_ headings: String...) { rows = [headings] }

  /// Adds a row with a cell for each heading.
  package mutating func add(_ cells: String...) { rows.append(cells) }

  /// The lines, headings first, without spaces at their ends.
  package var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = zip(row, widths).map { $0.padding(to: $1) }.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
