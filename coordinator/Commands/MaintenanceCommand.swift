import Arguments
import Foundation

/// `sheaf-coordinator check`, `backup` and `restore`: maintain a data directory.
enum MaintenanceCommand {
  private static let chunks = Flag(
    "chunks",
    help: "Also read the chunks, assets, projects, plans, block digests, media indexes, outputs "
      + "and recordings, and verify their digests")
  private static let target = Option<String>(
    "to", value: "FILE", help: "The file to write, which must not exist")
  private static let source = Option<String>(
    "from", value: "FILE", help: "A file that `sheaf-coordinator backup` wrote")

  private static let checkSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "check", summary: "Check a data directory",
    details: [
      "It checks the ledger, and checks that every finished file, every file of a recording and "
        + "every file that an unfinished job needs exists and has the recorded size. Chunks that "
        + "are kept only for later jobs may be missing. It changes nothing, and works while a "
        + "coordinator is running. It prints one line for each problem, and one that begins with "
        + "`note:` for each damaged file that a coordinator has moved to the quarantine."
    ],
    options: [Option.data.declaration.required()] + LedgerOption.declarations
      + StoreOption.declarations + [chunks.declaration],
    exitCodes: [
      Definition("0", "no problems"), Definition("1", "problems were found"),
      Definition("2", "invalid arguments, or the check could not run"),
    ],
    examples: [
      Example(
        "sheaf-coordinator check --data /var/lib/sheaf --chunks", "Verify every stored file")
    ])

  private static let backupSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "backup", summary: "Write a consistent copy of the ledger",
    details: [
      "It works while a coordinator is running. A ledger in PostgreSQL is backed up with "
        + "PostgreSQL's own tools, such as `pg_dump`. To back up the whole farm, also copy assets, "
        + "projects, plans, outputs, recordings, tokens.json and forgotten.json; files there are "
        + "never changed in place."
    ],
    options: [Option.data.declaration.required(), target.declaration.required()],
    exitCodes: failing,
    examples: [
      Example(
        "sheaf-coordinator backup --data /var/lib/sheaf --to /backup/ledger.sqlite",
        "Copy the ledger")
    ])

  private static let restoreSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "restore",
    summary: "Replace the ledger with a copy that `sheaf-coordinator backup` wrote",
    details: [
      "The old ledger is kept beside it under a name that ends in `.replaced`. No coordinator "
        + "may be running. Chunks that were accepted after the backup are rendered again."
    ],
    options: [Option.data.declaration.required(), source.declaration.required()],
    exitCodes: failing,
    examples: [
      Example(
        "sheaf-coordinator restore --data /var/lib/sheaf --from /backup/ledger.sqlite",
        "Restore the ledger from a backup")
    ])

  private static let failing = [
    Definition("0", "success"), Definition("2", "invalid arguments, or failure"),
  ]

  static let syntaxes = [checkSyntax, backupSyntax, restoreSyntax]

  /// Runs a subcommand and returns the exit code.
  static func run(_ arguments: ParsedArguments) throws -> Int32 {
    let data = try arguments.required(.data)
    switch arguments.syntax {
    case backupSyntax:
      let file = try arguments.required(target)
      try LedgerBackup.write(data, to: file)
      print("copied the ledger to \(file)")
    case restoreSyntax:
      let file = try arguments.required(source)
      try LedgerBackup.restore(data, from: file)
      print("restored the ledger from \(file)")
    default:
      return try check(
        DirectoryCheck(
          data: data, ledger: LedgerOption.address(arguments),
          store: StoreOption.store(arguments), readsFiles: arguments.has(chunks)))
    }
    return 0
  }

  private static func check(_ check: DirectoryCheck) throws -> Int32 {
    let report = try check.run()
    for finding in report.findings { StandardStream.output.write(line: finding) }
    for note in report.notes { StandardStream.output.write(line: "note: \(note)") }
    guard report.findings.isEmpty else { return 1 }
    let files = report.fileCount == 1 ? "file" : "\(report.fileCount) files"
    print("no problems: checked the ledger and the \(files) that it refers to")
    return 0
  }
}
