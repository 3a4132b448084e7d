import FarmAPI
import Foundation

/// A stream that the program was started with. Nobody has to read it, and its disk may be full: what cannot be written
/// is dropped.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// Writes a line that may hold names from outside.
  func write(line: String) { write("\(PrintableText(line))\n") }

  /// Writes a text that holds nothing from outside, in one piece where the system takes it so.
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
