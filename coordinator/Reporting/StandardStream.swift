import FarmAPI
import Foundation

/// A standard stream of the process. Text that cannot be written, because nothing reads the stream or the disk is full,
/// is dropped.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// Writes a line that may contain untrusted names, and escapes it.
  func write(line: String) { write("\(PrintableText(line))\n") }

  /// Writes text that contains nothing untrusted, in a single system call if possible.
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
