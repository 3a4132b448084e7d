import FarmAPI
import Foundation

/// A stream that the program was started with. It may have no reader, and its disk may be full: text that cannot be
/// written is dropped.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// Writes a line that may contain names from outside, escaped.
  func write(line: String) { write("\(PrintableText(line))\n") }

  /// Writes a text that contains nothing from outside, in a single write if the system accepts that.
  func write(_ text: String) {
    var rest = ArraySlice(Array(text.utf8))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(rawValue, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
