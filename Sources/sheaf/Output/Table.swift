import FarmAPI

/// Text in aligned columns for the terminal. A line break in a cell is shown as text.
///
/// A table that is too wide for its terminal first shortens its flexible columns, the widest first. If that is not
/// enough, it leaves out the least important columns.
package struct Table: Hashable, Sendable {
  package struct Column: Hashable, Sendable, ExpressibleByStringLiteral {
    fileprivate let heading: PrintableText
    fileprivate let importance: Int
    fileprivate let shortest: Int?

    /// Creates a column.
    ///
    /// - Parameters:
    ///   - importance: the least important columns are left out first; of equal ones, the last.
    ///   - shortest: the width in columns to which it may be shortened; `nil` if it must not.
    package init(_ heading: String, importance: Int = 5, shortest: Int? = nil) {
      self.heading = PrintableText(heading)
      self.importance = importance
      self.shortest = shortest
    }

    package init(stringLiteral heading: String) { self.init(heading) }
  }

  private let columns: [Column]
  private var rows: [[PrintableText]] = []

  /// The columns between two columns of the table.
  private static let gap = 2

  /// Creates a table with headings.
  package init(_ columns: Column...) { self.columns = columns }

  /// Adds a row with one cell per column.
  package mutating func add(_ cells: String...) { rows.append(cells.map(PrintableText.init)) }

  /// The lines, the headings first, at any width.
  package var lines: [String] { lines(fitting: nil) }

  /// The lines, the headings first, for a terminal of a width.
  package func lines(fitting limit: Int?) -> [String] {
    var shown = Array(columns.indices)
    var widths = columns.indices.map { column in
      rows.reduce(columns[column].heading.columns) {
        column < $1.count ? max($0, $1[column].columns) : $0
      }
    }
    if let limit { fit(&shown, &widths, limit) }
    return ([columns.map(\.heading)] + rows).map { row in
      var line = shown.map { column in
        let cell = column < row.count ? row[column] : PrintableText("")
        return PrintableText(cell.shortened(toColumns: widths[column]))
          .padded(toColumns: widths[column])
      }.joined(separator: String(repeating: " ", count: Self.gap))
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private func fit(_ shown: inout [Int], _ widths: inout [Int], _ limit: Int) {
    while true {
      let excess = shown.reduce(0) { $0 + widths[$1] } + (shown.count - 1) * Self.gap - limit
      guard excess > 0 else { return }
      let spare = shown.reduce(0) { $0 + room(in: $1, of: widths) }
      if spare >= excess {
        for _ in 0..<excess {
          guard
            let widest = shown.filter({ room(in: $0, of: widths) > 0 })
              .max(by: { widths[$0] < widths[$1] })
          else { return }
          widths[widest] -= 1
        }
        return
      }
      guard shown.count > 1 else {
        widths[shown[0]] = max(limit, 1)
        return
      }
      let least = shown.map { columns[$0].importance }.min()
      if let dropped = shown.lastIndex(where: { columns[$0].importance == least }) {
        shown.remove(at: dropped)
      }
    }
  }

  /// The columns by which one of the table's columns can be shortened.
  private func room(in column: Int, of widths: [Int]) -> Int {
    columns[column].shortest.map { max(0, widths[column] - max($0, 1)) } ?? 0
  }
}
