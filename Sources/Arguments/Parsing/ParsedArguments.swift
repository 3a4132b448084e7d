/// The arguments of a command, parsed by its ``CommandSyntax``.
package struct ParsedArguments: Hashable, Sendable {
  /// The syntax by which they were parsed.
  package let syntax: CommandSyntax
  /// The arguments that are not options, in order. Their number matches the syntax, unless help was requested.
  package private(set) var operands: [String] = []
  private var texts: [String: [String]] = [:]

  /// Reads the arguments that follow the command's name.
  ///
  /// `--name value`, `--name=value`, `-l value`; after `--` everything is an operand.
  package init(_ arguments: some Sequence<String>, syntax: CommandSyntax) throws(UsageError) {
    self.syntax = syntax
    var rest = Array(arguments)[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.hasPrefix("-") || argument == "-" || isNumber(argument) {
        operands.append(argument)
      } else if argument == "--" {
        optionsEnded = true
      } else {
        try readOption(argument, rest: &rest)
      }
    }
    if !has(CommandSyntax.help) { try checkOperands() }
  }

  /// Whether an argument is a negative number and therefore an operand: only letters name options.
  private func isNumber(_ argument: String) -> Bool {
    syntax.operand != nil && Int(argument) != nil
  }

  private mutating func readOption(
    _ argument: String, rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    let option = syntax.options.first { option in
      written == "--\(option.name)" || option.letter.map { written == "-\($0)" } ?? false
        || option.aliases.contains { written == "--\($0)" }
    }
    guard let option else {
      throw UsageError(
        "unknown option", on: written, command: syntax.invocation,
        suggesting: suggestion(for: written))
    }
    var value = parts.count == 2 ? String(parts[1]) : nil
    if option.placeholder == nil {
      guard value == nil else {
        // The value may be a misplaced token.
        throw UsageError("the option takes no value", on: written, command: syntax.invocation)
      }
      value = ""
    } else if value == nil {
      value = rest.popFirst()
    }
    guard let value else {
      throw UsageError("the option needs a value", on: option.longForm, command: syntax.invocation)
    }
    if texts[option.name] != nil, !option.isRepeatable {
      throw UsageError(
        "the option was given twice", on: "--\(option.name)", command: syntax.invocation)
    }
    texts[option.name, default: []].append(value)
  }

  /// The option that was probably meant.
  private func suggestion(for written: String) -> String? {
    guard written.hasPrefix("--") else { return nil }
    let name = String(written.dropFirst(2))
    let names = syntax.options.flatMap { [$0.name] + $0.aliases }
    return Suggestion.nearest(to: name, among: names).map { "--\($0)" }
  }

  private func checkOperands() throws(UsageError) {
    switch syntax.operand {
    case nil:
      guard let extra = operands.first else { return }
      throw UsageError("unexpected argument", on: extra, command: syntax.invocation)
    case .some(let operand):
      guard !operands.isEmpty || operand.arity == .optional else {
        throw UsageError("missing argument", on: operand.placeholder, command: syntax.invocation)
      }
      if operands.count > operand.arity.most {
        throw UsageError(
          "unexpected argument", on: operands[operand.arity.most], command: syntax.invocation)
      }
      guard operand.arity == .two, operands.count < 2 else { return }
      throw UsageError(
        "missing argument",
        on: operand.placeholder.split(separator: " ").last.map(String.init) ?? "",
        command: syntax.invocation)
    }
  }

  /// Whether the flag was given.
  package func has(_ flag: Flag) -> Bool { texts[flag.declaration.name] != nil }

  /// Whether the option was given.
  package func has(_ option: OptionDeclaration) -> Bool { texts[option.name] != nil }

  /// The values of an option, as they were written.
  package func texts(of option: OptionDeclaration) -> [String] { texts[option.name] ?? [] }

  package func required<Value>(_ option: Option<Value>) throws(UsageError) -> Value {
    guard let value = try value(option) else {
      throw UsageError(
        "missing option", on: option.declaration.longForm, command: syntax.invocation)
    }
    return value
  }

  /// The option's value, `nil` if it was not given.
  package func value<Value>(_ option: Option<Value>) throws(UsageError) -> Value? {
    try values(option).first
  }

  /// The values of an option that may be repeated, in order.
  package func values<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for text in texts[option.declaration.name] ?? [] {
      guard let value = option.read(text) else {
        throw UsageError(
          "--\(option.declaration.name) must be \(option.expectation)", on: "\"\(text)\"",
          command: syntax.invocation, suggesting: option.suggestion(for: text))
      }
      values.append(value)
    }
    return values
  }

  /// The operand of a syntax that takes exactly one.
  package var operand: String { operands.first ?? "" }
}
