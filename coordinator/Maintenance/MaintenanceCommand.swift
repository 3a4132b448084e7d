import Foundation

/// `sheaf-coordinator check`, `backup` and `restore`: what keeps a data directory safe.
enum MaintenanceCommand {
  static let usage = """
    usage: sheaf-coordinator check --data DIR [--chunks]
           sheaf-coordinator backup --data DIR --to FILE
           sheaf-coordinator restore --data DIR --from FILE

    check    looks through the ledger, and whether every file that it counts on is there in its size. With
             --chunks it also reads the chunks, assets, projects, plans, block digests, media indexes and
             outputs, and checks their digests. It changes nothing, and may run beside a coordinator. It prints
             one line for each finding, and one that begins with `note:` for each damaged file that a
             coordinator has put into the quarantine.
             Exit code 0: sound; 1: there are findings; 2: it could not look.
    backup   writes a copy of the ledger as of one instant to FILE, which must not be there yet. A coordinator
             may run meanwhile. The files in assets, blocks, chunks, outputs, projects and plans never change:
             copy them as they are. Copy tokens.json and forgotten.json too.
    restore  puts a copy that backup made in the place of the ledger, which is kept beside it under a name that
             ends in `.replaced`. No coordinator may run. Chunks that were accepted since are rendered again.

      --data DIR   the coordinator's data directory

    example: sheaf-coordinator backup --data /var/lib/sheaf --to /backup/sheaf-2026-11-20.sqlite
    """

  /// Runs a subcommand and returns the exit code.
  static func run(_ command: String, _ arguments: ArraySlice<String>) throws -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      print(usage)
      return 0
    }
    let directory = "the coordinator's data directory"
    switch command {
    case "check":
      let read = try MaintenanceArguments(
        arguments, of: command, values: ["--data"], flags: ["--chunks"])
      return try check(
        read.required("--data", directory), readingFiles: read.contains("--chunks"))
    case "backup":
      let read = try MaintenanceArguments(arguments, of: command, values: ["--data", "--to"])
      let file = try read.required("--to", "the file to write")
      try LedgerBackup.write(read.required("--data", directory), to: file)
      print("the ledger is copied to \(file)")
    default:
      let read = try MaintenanceArguments(arguments, of: command, values: ["--data", "--from"])
      let file = try read.required("--from", "a file that backup wrote")
      try LedgerBackup.restore(read.required("--data", directory), from: file)
      print("the ledger is the copy of \(file)")
    }
    return 0
  }

  private static func check(_ data: String, readingFiles: Bool) throws -> Int32 {
    let report = try DirectoryCheck(data: data, readsFiles: readingFiles).run()
    for finding in report.findings { StandardStream.output.write(line: finding) }
    for note in report.notes { StandardStream.output.write(line: "note: \(note)") }
    guard report.findings.isEmpty else { return 1 }
    let files = report.fileCount == 1 ? "file" : "\(report.fileCount) files"
    print("sound: the ledger and the \(files) that it counts on")
    return 0
  }
}
