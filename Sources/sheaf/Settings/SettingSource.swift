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

  /// The value on the command line.
  func flag<Value: Hashable>(_ option: Option<Value>) throws(UsageError) -> Setting<Value>? {
    try arguments.value(option).map { Setting($0, .flag("--\(option.declaration.name)")) }
  }

  /// The value in an environment variable.
  private func variable<Value: Hashable>(
    _ name: String, of option: Option<Value>
  ) throws(UsageError) -> Setting<Value>? {
    guard let text = text(ofVariable: name) else { return nil }
    guard let value = option.value(of: text) else {
      throw UsageError(
        "\(name) must be \(option.expectation)", on: "\"\(text)\"",
        command: arguments.syntax.invocation)
    }
    return Setting(value, .environment(name))
  }

  /// The value in the configuration file.
  func entry<Value: Hashable>(_ option: Option<Value>) throws(CommandFailure) -> Setting<Value>? {
    guard let entry = file.entry(of: option.declaration, home: environment["HOME"]) else {
      return nil
    }
    let place = "\(file.path):\(entry.line)"
    guard let value = option.value(of: entry.text) else {
      throw CommandFailure(
        .usage, "\(option.declaration.name) must be \(option.expectation)",
        on: "\(place): \"\(entry.text.withoutTokens)\"", remedy: "correct the line")
    }
    return Setting(value, .file(file.path, line: entry.line))
  }

  /// The text of an environment variable, which counts as not set if it is empty.
  func text(ofVariable name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
