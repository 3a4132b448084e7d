import Arguments
import ProjectFormat

/// `sheaf validate`: prints every finding on a project and its media.
struct ValidateCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "validate", summary: "Check a project and its media",
    operand: Operand("PROJECT", kind: .file, help: "The project file"),
    options: [Option.root.declaration, Flag.json.declaration],
    examples: [
      Example("sheaf validate cut.json", "Print every finding; exit with 3 if there are any")
    ])

  private let project: String
  private let roots: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    project = arguments.operand
    roots = try arguments.values(.root)
    printsJSON = arguments.has(.json)
  }

  private struct Verdict: Encodable {
    var isValid: Bool
    var findings: [String]
    var warnings: [String]
  }

  func run(on console: Console) async throws {
    let warnings: [Finding]
    do {
      warnings = try await LocalProject.read(project, roots: roots).warnings
    } catch let failure as CommandFailure where failure.exitCode == .invalidProject && printsJSON {
      try console.print(json: Verdict(isValid: false, findings: failure.lines, warnings: []))
      throw CommandFailure(.invalidProject, lines: [])
    }
    if printsJSON {
      return try console.print(
        json: Verdict(isValid: true, findings: [], warnings: warnings.map(\.description)))
    }
    console.report(warnings)
    try console.print("\(project): valid")
  }
}
