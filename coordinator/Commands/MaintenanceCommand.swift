import Foundation

/// `sheaf-coordinator check`, `backup` and `restore`: maintain a data directory.
enum MaintenanceCommand {
  static let usage = """
    usage: sheaf-coordinator check --data DIR [--chunks]
           sheaf-coordinator backup --data DIR --to FILE
           sheaf-coordinator restore --data DIR --from FILE

    check    checks the ledger, and that every file that it refers to exists and has the recorded size. With
             --chunks it also reads the chunks, assets, projects, plans, block digests, media indexes and
             outputs, and verifies their digests. It changes nothing, and a coordinator may be running. It prints
             one line for each finding, and one that begins with `note:` for each damaged file that a
             coordinator has moved to the quarantine.
             Exit code 0: sound; 1: there are findings; 2: the check could not run.
    backup   writes a consistent copy of the ledger to FILE, which must not exist. A coordinator may be
             running. Copy assets, projects, plans, outputs, tokens.json and forgotten.json too; the files
             there never change in place.
    restore  replaces the ledger with a copy that backup wrote. The old ledger is kept beside it under a name
             that ends in `.replaced`. No coordinator may be running. Chunks that were accepted after the
             backup are rendered again.

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
      print("copied the ledger to \(file)")
    default:
      let read = try MaintenanceArguments(arguments, of: command, values: ["--data", "--from"])
      let file = try read.required("--from", "a file that backup wrote")
      try LedgerBackup.restore(read.required("--data", directory), from: file)
      print("restored the ledger from \(file)")
    }
    return 0
  }

  private static func check(_ data: String, readingFiles: Bool) throws -> Int32 {
    let report = try DirectoryCheck(data: data, readsFiles: readingFiles).run()
    for finding in report.findings { StandardStream.output.write(line: finding) }
    for note in report.notes { StandardStream.output.write(line: "note: \(note)") }
    guard report.findings.isEmpty else { return 1 }
    let files = report.fileCount == 1 ? "file" : "\(report.fileCount) files"
    print("sound: the ledger and the \(files) that it refers to")
    return 0
  }
}
