import Foundation

/// Tells the parent process what this process is working on, so that the parent can name it if a limit ends the process.
/// The subject is the last line on standard error.
enum LastSubject {
  static func note(_ subject: String) {
    let line = subject.split(separator: "\n", omittingEmptySubsequences: false).joined(
      separator: " ")
    FileHandle.standardError.write(Data("at \(line.prefix(300))\n".utf8))
  }
}
