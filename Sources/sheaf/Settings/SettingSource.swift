import Arguments
import Foundation

/// Everything that can set a value: the arguments, the environment and the configuration file.
struct SettingSource: Sendable {
  let arguments: ParsedArguments
  let environment: [String: String]
  let file: SettingsFile

  /// The value of an option from the strongest place that sets it; `nil` if none does.
  func setting<Value: Hashable>(
    _ option: Option<Value>, variable: String?
  ) throws -> Setting<Value>? {
    try flag(option) ?? variable.flatMap { try self.variable($0, of: option) } ?? entry(option)
  }

  /// The values of an option from the strongest place that sets it; `nil` if none does. On the command line, the option
  /// is repeated; elsewhere, spaces separate the values.
  func settings<Value: Hashable>(
    _ option: Option<Value>, variable: String
  ) throws -> Setting<[Value]>? {
    let flags = try arguments.values(option)
    if !flags.isEmpty { return Setting(flags, .flag("--\(option.declaration.name)")) }
    if let text = text(ofVariable: variable) {
      return Setting(
        try Self.words(of: text).map { try value($0, of: option, in: variable) },
        .environment(variable))
    }
    guard let entry = file.entry(of: option.declaration, home: environment["HOME"]) else {
      return nil
    }
    return Setting(
      try Self.words(of: entry.text).map { try value($0, of: option, in: entry) },
      .file(file.path, line: entry.line))
  }

  /// The parts of a text between spaces; the text itself if there are none.
  private static func words(of text: String) -> [String] {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    return words.isEmpty ? [text] : words
  }

  /// The value on the command line.
  func flag<Value: Hashable>(_ option: Option<Value>) throws(UsageError) -> Setting<Value>? {
    try arguments.value(option).map { Setting($0, .flag("--\(option.declaration.name)")) }
  }

  /// The value in an environment variable.
  private func variable<Value: Hashable>(
    _ name: String, of option: Option<Value>
  ) throws(UsageError) -> Setting<Value>? {
    guard let text = text(ofVariable: name) else { return nil }
    return Setting(try value(text, of: option, in: name), .environment(name))
  }

  private func value<Value>(
    _ text: String, of option: Option<Value>, in variable: String
  ) throws(UsageError) -> Value {
    guard let value = option.value(of: text) else {
      throw UsageError(
        "\(variable) must be \(option.expectation)", on: "\"\(text)\"",
        command: arguments.syntax.invocation)
    }
    return value
  }

  /// The value in the configuration file.
  func entry<Value: Hashable>(_ option: Option<Value>) throws(CommandFailure) -> Setting<Value>? {
    guard let entry = file.entry(of: option.declaration, home: environment["HOME"]) else {
      return nil
    }
    return Setting(
      try value(entry.text, of: option, in: entry), .file(file.path, line: entry.line))
  }

  private func value<Value>(
    _ text: String, of option: Option<Value>, in entry: SettingsFile.Entry
  ) throws(CommandFailure) -> Value {
    guard let value = option.value(of: text) else {
      throw CommandFailure(
        .usage, "\(option.declaration.name) must be \(option.expectation)",
        on: "\(file.path):\(entry.line): \"\(text.withoutTokens)\"", remedy: "correct the line")
    }
    return value
  }

  /// The text of an environment variable, which counts as not set if it is empty.
  func text(ofVariable name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
