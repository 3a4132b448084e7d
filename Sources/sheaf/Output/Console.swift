import FarmAPI
import Foundation

/// The output of a subcommand: results on standard output, reports and progress on standard error.
///
/// Everything that is printed may contain names from outside, so every line is printed as ``PrintableText``.
package struct Console: Sendable {
  /// Whether standard error is a terminal, on which a progress bar can be redrawn.
  package let isTerminal: Bool

  /// The process's own output.
  package static let standard = Console(isTerminal: isatty(STDERR_FILENO) == 1)

  /// Prints a line of result.
  ///
  /// - Throws: ``CommandFailure/outputClosed`` if the reader has closed it, or another failure if a disk is full.
  package func print(_ line: String) throws(CommandFailure) {
    try printAsIs("\(PrintableText(line))")
  }

  /// Prints a text of several lines, such as help.
  package func print(lines text: String) throws(CommandFailure) {
    for line in PrintableText.lines(of: text) { try printAsIs("\(line)") }
  }

  /// Prints a JSON document.
  package func print(json document: String) throws(CommandFailure) {
    try printAsIs(PrintableText.json(document))
  }

  private func printAsIs(_ text: String) throws(CommandFailure) {
    let number = Self.write(text + "\n", to: STDOUT_FILENO)
    if number == EPIPE { throw .outputClosed }
    guard number == 0 else {
      throw CommandFailure(
        .failed, "cannot write the result", on: "standard output",
        remedy: "redirect it to a writable file (\(String(cString: strerror(number))))")
    }
  }

  /// Prints a value as JSON on one line.
  package func print(json value: some Encodable) throws {
    try print(json: String(decoding: FarmCoding.encode(value), as: UTF8.self))
  }

  /// Prints a line for people on standard error. It is dropped if it cannot be written.
  package func report(_ line: String) {
    _ = Self.write("\(PrintableText(line))\n", to: STDERR_FILENO)
  }

  /// Prints a failure, each line after the program's name.
  package func report(_ failure: CommandFailure) {
    for line in failure.lines { report("sheaf: \(line)") }
  }

  /// Draws over the current line of the terminal, leaving the cursor at its start.
  package func redraw(_ line: String) {
    _ = Self.write("\r\u{1b}[2K\(PrintableText(line))", to: STDERR_FILENO)
  }

  /// The terminal's width in columns; 80 if it is unknown.
  package var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes all of a text. Returns the system's error number, or 0.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return errno }
        continue
      }
      bytes = bytes.dropFirst(count)
    }
    return 0
  }
}
