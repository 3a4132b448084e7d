import Foundation

/// Formats command lines for a shell.
package enum CommandLineText {
  /// The words as one line, quoted as a shell requires.
  package static func line(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+%")
    guard word.isEmpty || !word.allSatisfy(plain.contains) else { return word }
    return "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }
}
