import Arguments
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct ProgramSyntaxTests {
  private enum Size: String, CaseIterable { case small, large }

  private static let file = Option<String>(
    "file", letter: "f", value: "FILE", help: "The file: it's [any] one")
  private static let folder = Option<String>(
    "folder", value: "DIR", isRepeatable: true, help: "A folder")
  private static let size = Option<Size>("size", choice: "SIZE", help: "The size")

  private static func command(_ name: String, operand: Operand? = nil) -> CommandSyntax {
    CommandSyntax(
      program: "tool", name: name, summary: "Do \(name.isEmpty ? "things" : name)",
      operand: operand,
      options: [file.declaration, folder.declaration, size.declaration],
      examples: [Example("tool \(name) x", "Do it")])
  }

  private static let many = ProgramSyntax(
    name: "tool", summary: "Does things",
    commands: [
      command("eat", operand: Operand("FILE", .oneOrMore, help: "The food")),
      command("key make"), command("key drop", operand: Operand("ID", help: "The key")),
    ],
    environment: [Definition("TOOL_HOME", "The home")],
    exitCodes: [Definition("0", "success"), Definition("2", "invalid arguments")],
    examples: [Example("tool eat x", "Eat x")])
  private static let single = ProgramSyntax(command(""))

  private func text(_ arguments: String..., of program: ProgramSyntax = many) throws -> String {
    guard case .print(let text) = try program.request(arguments) else {
      Issue.record("\(arguments) prints nothing")
      return ""
    }
    return text
  }

  @Test func `a command is found by its words`() throws {
    guard case .run(let parsed) = try Self.many.request(["key", "drop", "7", "--size=large"]) else {
      Issue.record("it did not run")
      return
    }
    #expect(parsed.syntax.name == "key drop")
    #expect(parsed.operand == "7")
    #expect(try parsed.value(Self.size) == .large)
  }

  @Test(arguments: [
    ([], "missing command: tool: see `tool --help`"),
    (["sleep"], "unknown command: sleep: see `tool --help`"),
    (["--size=large"], "unknown command: --size: see `tool --help`"),
    (["key"], "missing command: tool key: see `tool key --help`"),
    (["key", "--size", "large"], "missing command: tool key: see `tool key --help`"),
    (["key", "turn"], "unknown command: key turn: see `tool key --help`"),
    (["help", "sleep"], "unknown command: sleep: see `tool --help`"),
    (["completions", "csh"], "SHELL must be one of bash, zsh, fish: \"csh\""),
    (["completions"], "missing argument: SHELL"),
    (["man-page", "x"], "unexpected argument: x"),
    (["eat", "x", "--size=huge"], "--size must be one of small, large: \"huge\""),
  ])
  func `an invalid command line is rejected by name`(arguments: [String], message: String) throws {
    let error = try #require(
      #expect(throws: UsageError.self) {
        if case .run(let parsed) = try Self.many.request(arguments) {
          _ = try parsed.value(Self.size)
        }
      })
    #expect(error.description.hasPrefix(message))
  }

  @Test func `help is found in every usual way`() throws {
    let program = try text("--help")
    #expect(program.contains("usage: tool COMMAND [options]"))
    #expect(try text("-h") == program && text("help") == program)
    let eat = try text("eat", "--help")
    #expect(eat.contains("usage: tool eat FILE... [options]"))
    #expect(try text("help", "eat") == eat && text("eat", "--color", "-h") == eat)
    #expect(try text("key", "--help").contains("key make"))
    #expect(try text("help", "key", "make") == text("key", "make", "-h"))
    #expect(try text("--help", of: Self.single).contains("usage: tool [options]"))
  }

  @Test func `a request for help among the operands is an operand`() throws {
    guard case .run(let parsed) = try Self.many.request(["eat", "--", "--help"]) else {
      Issue.record("it printed help")
      return
    }
    #expect(parsed.operands == ["--help"])
  }

  @Test func `a required option is part of the usage`() {
    var command = Self.command("eat")
    command.groups[0].options[0] = Self.file.declaration.required()
    #expect(command.usage == "tool eat --file FILE [options]")
  }

  /// The completions that bash offers for the last of the words.
  private func completed(
    _ words: String..., of program: ProgramSyntax = many, in folder: String? = nil
  ) throws -> [String] {
    let script = """
      \(try text("completions", "bash", of: program))
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
      COMP_CWORD=\(words.count - 1)
      _tool
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["--norc", "-c", script]
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
  }

  @Test func `bash completes commands, options and choices`() throws {
    #expect(try completed("tool", "e") == ["eat"])
    #expect(
      try completed("tool", "") == ["--help", "completions", "eat", "help", "key", "man-page"])
    #expect(try completed("tool", "key", "") == ["drop", "make"])
    #expect(try completed("tool", "key", "make", "--f") == ["--file", "--folder"])
    #expect(try completed("tool", "eat", "--size", "") == ["large", "small"])
    #expect(try completed("tool", "eat", "--size", "=", "l") == ["large"])
    #expect(try completed("tool", "completions", "f") == ["fish"])
    #expect(try completed("tool", "--si", of: Self.single) == ["--size"])
    #expect(try completed("tool", "c", of: Self.single) == ["completions"])
    #expect(try completed("tool", "--size", "s", of: Self.single) == ["small"])
  }

  @Test func `bash completes the names of files and folders`() throws {
    let scratch = try TemporaryDirectory()
    try Data().write(to: URL(filePath: scratch.path("a b")))
    try FileManager.default.createDirectory(
      atPath: scratch.path("ac"), withIntermediateDirectories: false)
    #expect(try completed("tool", "eat", "a", in: scratch.path) == ["a b", "ac"])
    #expect(try completed("tool", "eat", "-f", "a", in: scratch.path) == ["a b", "ac"])
    #expect(try completed("tool", "eat", "--folder", "a", in: scratch.path) == ["ac"])
  }

  @Test(arguments: Shell.allCases)
  func `every option and choice is completed in every shell`(shell: Shell) throws {
    let script = try text("completions", shell.rawValue)
    for word in ["eat", "make", "drop", "file", "folder", "size", "small", "large"] {
      #expect(script.contains(word), "\(word)")
    }
  }

  @Test func `a manual page escapes what troff would read`() throws {
    let page = try text("man-page")
    #expect(page.hasPrefix(".TH TOOL 1 "))
    #expect(page.contains(".B \\-f, \\-\\-file FILE\nThe file: it\\(aqs [any] one"))
    #expect(page.contains(".SH ENVIRONMENT\n.TP\n.B TOOL_HOME\nThe home"))
    #expect(page.contains(".SH EXIT STATUS\n.TP\n.B 0\nsuccess"))
    #expect(page.contains("Eat x:"))
  }
}
