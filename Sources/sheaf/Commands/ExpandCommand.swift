import Arguments
import ProjectFormat
import Timeline

/// `sheaf expand`: prints a project in its composition form.
struct ExpandCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "expand", summary: "Print a project in its composition form",
    operand: Operand("PROJECT", kind: .file, help: "The project file, in either form"),
    options: [
      Option.root.declaration,
      Flag("json", help: "Print JSON, the only output format").declaration,
    ],
    examples: [
      Example("sheaf expand cut.json > full.json", "Turn clips and transitions into tracks")
    ])

  private let project: String
  private let roots: [String]

  init(_ arguments: ParsedArguments) throws {
    project = arguments.operand
    roots = try arguments.values(.root)
  }

  func run(on console: Console) async throws {
    let project = try await LocalProject.read(project, roots: roots)
    try console.print(json: String(decoding: project.project.json(), as: UTF8.self))
  }
}
