import Foundation

/// What a child is working on. If a limit ends it, its parent finds this as the last line of its standard error.
enum LastSubject {
  static func note(_ subject: String) {
    let line = subject.split(separator: "\n", omittingEmptySubsequences: false).joined(
      separator: " ")
    FileHandle.standardError.write(Data("at \(line.prefix(300))\n".utf8))
  }
}
