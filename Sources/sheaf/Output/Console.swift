import Crypto
import FarmAPI
import Foundation
import ProjectFormat

/// The output of a subcommand: results on standard output, reports and progress on standard error.
///
/// Everything that is printed may contain names from outside, so every line is printed as ``PrintableText``.
package struct Console: Sendable {
  /// Standard error.
  let screen: Screen
  /// The width of the terminal that standard output is, or that `COLUMNS` states; `nil` if neither is known.
  package let columns: Int?
  /// Whether standard output is a terminal, on which results are for people only.
  package let isForPeople: Bool

  /// The process's own output.
  package static let standard = Console(
    screen: .standard, columns: TerminalWidth.columns(of: STDOUT_FILENO),
    isForPeople: isatty(STDOUT_FILENO) == 1)

  /// Prints a line of result.
  ///
  /// - Throws: ``CommandFailure/outputClosed`` if the reader has closed it, or another failure if a disk is full.
  package func print(_ line: String) throws(CommandFailure) {
    try printAsIs("\(PrintableText(line))")
  }

  /// Prints sentences, in several lines if the terminal is narrow.
  package func print(prose text: String) throws(CommandFailure) {
    for line in WrappedText.lines(text, columns: columns) { try print(line) }
  }

  /// A digest, shortened if it does not fit in a line.
  func shown(_ digest: Digest) -> String {
    let text = "\(digest)"
    guard let columns, columns < text.count else { return text }
    return text.prefix(16) + "…"
  }

  /// Prints a table that fits the terminal.
  package func print(_ table: Table) throws(CommandFailure) {
    for line in table.lines(fitting: columns) { try print(line) }
  }

  /// Prints a text of several lines, such as help.
  package func print(lines text: String) throws(CommandFailure) {
    for line in PrintableText.lines(of: text) { try printAsIs("\(line)") }
  }

  package func print(json document: String) throws(CommandFailure) {
    try printAsIs(PrintableText.json(document))
  }

  private func printAsIs(_ text: String) throws(CommandFailure) {
    let number = screen.interrupted { Screen.write(text + "\n", to: STDOUT_FILENO) }
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
    screen.interrupted { _ = Screen.write("\(PrintableText(line))\n", to: STDERR_FILENO) }
  }

  /// Prints warnings about a project.
  package func report(_ warnings: [Finding]) {
    for warning in warnings { report("sheaf: warning: \(warning)") }
  }

  /// Prints a failure, each line after the program's name.
  package func report(_ failure: CommandFailure) {
    for line in failure.lines { report("sheaf: \(line)") }
  }
}
