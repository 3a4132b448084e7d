import FarmAPI

/// Sentences in lines that fit a terminal.
package enum WrappedText {
  /// The text in lines of at most the given number of columns, broken between words. Only a word that is wider has a
  /// line that is too long, so that paths and commands can be copied.
  package static func lines(_ text: String, columns: Int?) -> [String] {
    guard let columns else { return [text] }
    var lines: [String] = []
    var width = 0
    for word in text.split(separator: " ") {
      let length = PrintableText(String(word)).columns
      if let last = lines.indices.last, width + 1 + length <= columns {
        lines[last] += " " + word
        width += 1 + length
      } else {
        lines.append(String(word))
        width = length
      }
    }
    return lines.isEmpty ? [text] : lines
  }
}
