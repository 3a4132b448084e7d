import Timeline

/// A JSON syntax error and its position.
struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  let line: Int
  /// The character in the line, from 1.
  let column: Int
  /// The problem, in lower case.
  let problem: String

  init(problem: String, at offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    // Continuation bytes of a character do not count.
    column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    self.problem = problem
  }

  var description: String { "line \(line), column \(column): \(problem)" }
}
