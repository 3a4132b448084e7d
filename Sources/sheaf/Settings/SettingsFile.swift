import Arguments
import Foundation

/// The configuration file of the command line: lines of the form `name = value`, and comments that begin with `#`.
///
/// It contains no secrets: it names the file with the token instead.
package struct SettingsFile: Hashable, Sendable {
  /// A line that sets a value.
  package struct Entry: Hashable, Sendable {
    /// The text of the value.
    package let text: String
    /// The number of the line, from 1.
    package let line: Int
  }

  package let path: String
  /// Whether the file exists.
  package let exists: Bool
  private var entries: [String: Entry] = [:]

  /// The maximum size in bytes.
  private static let sizeLimit = 64 << 10

  /// The path of the file: `sheaf/config` in `XDG_CONFIG_HOME`, which is `~/.config` by default.
  package static func path(in environment: [String: String]) -> String {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    // Relative paths are to be ignored (XDG Base Directory Specification).
    let settings = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return "\(settings ?? "\(home)/.config")/sheaf/config"
  }

  /// Reads the file of an environment. A file that does not exist has no entries. Blocks briefly.
  ///
  /// - Throws: ``CommandFailure`` for a file that cannot be read or that other users can change, and for an invalid
  ///   line.
  package init(
    in environment: [String: String], naming names: [String]
  ) throws(CommandFailure) {
    let path = Self.path(in: environment)
    let text = try Self.contents(of: path)
    try self.init(text: text, path: path, naming: names)
  }

  /// Reads the text of a file, which is `nil` if the file does not exist.
  ///
  /// - Parameter names: the names of the settings.
  package init(
    text: String?, path: String, naming names: [String]
  ) throws(CommandFailure) {
    (self.path, exists) = (path, text != nil)
    let lines = (text ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      try read(line, number: number + 1, naming: names)
    }
  }

  private mutating func read(
    _ line: String, number: Int, naming names: [String]
  ) throws(CommandFailure) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let name = parts[0]
    let place = "\(path):\(number)"
    if name == "token" {
      throw CommandFailure(
        .usage, "the configuration file must not contain a token", on: place,
        remedy: "save the token in a file with mode 0600, and set token-file to its path")
    }
    guard parts.count == 2 else {
      throw CommandFailure(
        .usage, "the line has no value", on: place,
        remedy: "write it as `name = value`, or begin it with # if it is a comment")
    }
    guard names.contains(name) else {
      let guess = Suggestion.nearest(to: name, among: names).map { "did you mean \($0)? " } ?? ""
      throw CommandFailure(
        .usage, "unknown setting", on: "\(place): \(name.withoutTokens)",
        remedy: "\(guess)The settings are \(names.joined(separator: ", "))")
    }
    guard !parts[1].isEmpty else {
      throw CommandFailure(
        .usage, "the setting has no value", on: "\(place): \(name)",
        remedy: "give it one, or remove the line")
    }
    if let other = entries[name] {
      throw CommandFailure(
        .usage, "the setting is given twice", on: "\(place): \(name)",
        remedy: "remove line \(other.line) or \(number)")
    }
    entries[name] = Entry(text: parts[1], line: number)
  }

  /// The entry of an option. Relative paths begin at the file's directory, and `~/` at the home directory.
  func entry(of option: OptionDeclaration, home: String?) -> Entry? {
    guard let entry = entries[option.name] else { return nil }
    guard option.kind == .file, !entry.text.hasPrefix("/") else { return entry }
    if let home, entry.text.hasPrefix("~/") {
      return Entry(text: home + entry.text.dropFirst(1), line: entry.line)
    }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    return Entry(text: directory.appendingPathComponent(entry.text).path, line: entry.line)
  }
}

// MARK: Reading

extension SettingsFile {
  /// The text of the file; `nil` if it does not exist.
  private static func contents(of path: String) throws(CommandFailure) -> String? {
    // A pipe must not keep the command waiting.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unreadable(path, because: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw unreadable(path, because: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(path, because: "it is not a regular file")
    }
    try checkOwner(status, path)
    guard status.st_size <= sizeLimit else {
      throw unreadable(path, because: "it has more than \(sizeLimit) bytes")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    guard let data = try? handle.read(upToCount: sizeLimit) ?? Data(),
      let text = String(validating: data, as: UTF8.self)
    else { throw unreadable(path, because: "it is not text in UTF-8") }
    return text
  }

  /// Whoever can change the file decides where tokens are sent.
  private static func checkOwner(_ status: stat, _ path: String) throws(CommandFailure) {
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw CommandFailure(
        .usage, "other users can change the configuration file", on: path,
        remedy: "run `chmod go-w \(CommandLineText.line([path]))`")
    }
    guard [0, geteuid()].contains(status.st_uid) || geteuid() == 0 else {
      throw CommandFailure(
        .usage, "the configuration file belongs to another user", on: path,
        remedy: "copy it, so that it is yours")
    }
  }

  private static func unreadable(_ path: String, because reason: String) -> CommandFailure {
    CommandFailure(
      .usage, "cannot read the configuration file", on: path,
      remedy: "make it a readable text file, or remove it (\(reason))")
  }
}
