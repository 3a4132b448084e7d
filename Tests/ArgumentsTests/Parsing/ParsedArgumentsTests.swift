import Arguments
import Support
import Testing

@Suite(.mayBlock) struct ParsedArgumentsTests {
  private static let name = Option<String>("name", letter: "n", value: "NAME", help: "A name")
  private static let count = Option<Int>("count", value: "N", in: 1...1024, help: "A number")
  private static let part = Option<String>(
    "part", value: "PART", isRepeatable: true, help: "A part")
  private static let loud = Flag("loud", help: "Say it loudly")

  private static let syntax = CommandSyntax(
    program: "sheaf", name: "say", summary: "Say things",
    operand: Operand("THING", .oneOrMore, help: "What to say"),
    options: [name.declaration, count.declaration, part.declaration, loud.declaration],
    examples: [Example("sheaf say hello", "Say hello")])

  private func parse(_ arguments: [String]) throws -> ParsedArguments {
    try ParsedArguments(arguments, syntax: Self.syntax)
  }

  @Test(arguments: [
    ["--name", "x", "thing"], ["--name=x", "thing"], ["-n", "x", "thing"], ["thing", "-n", "x"],
  ])
  func `an option accepts its value in every usual form`(arguments: [String]) throws {
    let parsed = try parse(arguments)
    #expect(try parsed.value(Self.name) == "x")
    #expect(parsed.operands == ["thing"])
  }

  @Test func `after two dashes everything is an operand`() throws {
    #expect(try parse(["--", "--name", "-x"]).operands == ["--name", "-x"])
  }

  @Test func `a flag is set only if it is given`() throws {
    #expect(try parse(["a", "--loud"]).has(Self.loud))
    #expect(try !parse(["a"]).has(Self.loud))
  }

  @Test func `a repeated option keeps its values in order`() throws {
    #expect(try parse(["a", "--part", "1", "--part=2"]).values(Self.part) == ["1", "2"])
  }

  @Test func `a value with an equals sign stays whole`() throws {
    #expect(try parse(["a", "--name=x=y"]).value(Self.name) == "x=y")
  }

  @Test func `an option that was not given has no value`() throws {
    #expect(try parse(["a"]).value(Self.count) == nil)
  }

  @Test(arguments: [
    (["a", "--what"], "unknown option", "--what"),
    (["a", "-w"], "unknown option", "-w"),
    (["a", "--name"], "the option needs a value", "--name NAME"),
    (["a", "--loud=yes"], "the option takes no value", "--loud"),
    (["a", "--name", "x", "-n", "y"], "the option was given twice", "--name"),
    ([], "missing argument", "THING"),
  ])
  func `an argument that cannot be parsed is named`(
    arguments: [String], problem: String, subject: String
  ) {
    #expect(throws: UsageError(problem, on: subject, command: "sheaf say")) { try parse(arguments) }
  }

  @Test(arguments: ["0", "-1", "x", "1.5", "", "99999999999999999999"])
  func `an invalid number is rejected with the valid range`(text: String) throws {
    let parsed = try parse(["a", "--count=\(text)"])
    #expect(
      throws: UsageError(
        "--count must be a whole number from 1 to 1024", on: "\"\(text)\"", command: "sheaf say")
    ) { try parsed.value(Self.count) }
  }

  @Test func `a missing required option is named`() throws {
    let parsed = try parse(["a"])
    #expect(throws: UsageError("missing option", on: "--name NAME", command: "sheaf say")) {
      try parsed.required(Self.name)
    }
  }

  @Test func `help works without the required arguments`() throws {
    #expect(try parse(["--help"]).has(CommandSyntax.help))
  }

  @Test func `help lists the operand and the options`() {
    let help = Self.syntax.helpText
    for line in ["usage: sheaf say THING... [options]", "-n, --name NAME", "--loud", "-h, --help"] {
      #expect(help.contains(line))
    }
  }

  @Test(arguments: [
    ["--token=sheaf_0123456789012345678901234567890123456789", "a"],
    ["a", "--count=sheaf_0123456789012345678901234567890123456789"],
    ["--loud=sheaf_0123456789012345678901234567890123456789", "a"],
  ])
  func `no message repeats a misplaced token`(arguments: [String]) throws {
    let error = try #require(
      #expect(throws: UsageError.self) { try parse(arguments).value(Self.count) })
    #expect(!error.description.contains("0123456789"))
    #expect(error.description.hasSuffix(": see `sheaf say --help`"))
  }

  @Test(arguments: [
    ("10", 10), ("3600", 3600), ("0", nil), ("3601", nil), ("1m", 60), ("1h", 3600), ("2h", nil),
    ("1w", nil), ("1.5", nil), ("", nil),
  ])
  func `a duration is a whole number of seconds in a range`(text: String, seconds: Int?) throws {
    let option = Option<Duration>("wait", seconds: 1...3600, help: "How long to wait")
    let syntax = CommandSyntax(
      program: "p", name: "", summary: "S", options: [option.declaration], examples: [])
    let parsed = try ParsedArguments(["--wait", text], syntax: syntax)
    guard let seconds else {
      let problem = "--wait must be a whole number of seconds from 1 to 3600"
      #expect(throws: UsageError(problem, on: "\"\(text)\"", command: "p")) {
        try parsed.value(option)
      }
      return
    }
    #expect(try parsed.value(option) == .seconds(seconds))
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("0.25", 0.25), ("1.1", nil), ("-0.1", nil), ("nan", nil), ("x", nil),
  ])
  func `a decimal number is checked against its range`(text: String, number: Double?) throws {
    let option = Option<Double>("share", value: "F", in: 0...1, help: "The share")
    let syntax = CommandSyntax(
      program: "p", name: "", summary: "S", options: [option.declaration], examples: [])
    let parsed = try ParsedArguments(["--share=\(text)"], syntax: syntax)
    #expect((try? parsed.value(option)) == number)
  }
}
