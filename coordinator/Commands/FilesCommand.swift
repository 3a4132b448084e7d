import Arguments
import FarmAPI
import S3

/// `sheaf-coordinator move-files`: moves stored files to an object store, or back.
enum FilesCommand {
  private static let back = Flag(
    "back", help: "Copy the files from the object store to the data directory")

  static let syntax = CommandSyntax(
    program: "sheaf-coordinator", name: "move-files",
    summary: "Move stored files to an object store, or back",
    details: [
      "No coordinator may be running. The ledger and tokens stay in the data directory.",
      "The files are moved one at a time, so the move needs no additional disk space. For up to a "
        + "day, they also stay on the disk as local copies. If the command is interrupted, run it "
        + "again. Then start the coordinator with the same --store.",
      "With --back: the disk needs room for all files. The objects stay in the bucket, but are not "
        + "used any more. Then start the coordinator without --store.",
    ],
    options: [Option.data.declaration.required()] + StoreOption.declarations + [back.declaration],
    exitCodes: [Definition("0", "success"), Definition("2", "invalid arguments, or failure")],
    examples: [
      Example(
        """
        sheaf-coordinator move-files --data /var/lib/sheaf --store s3://farm \\
          --store-region eu-central-1 --store-key-file /etc/sheaf/store.key
        """, "Move the files of a farm to a bucket")
    ])

  /// Runs the command.
  static func run(_ arguments: ParsedArguments) throws {
    let data = try arguments.required(.data)
    guard let store = try StoreOption.store(arguments) else {
      throw UsageError(
        "missing option", on: "--store URL", command: arguments.syntax.invocation)
    }
    let log = Log(.quiet)
    if arguments.has(back) {
      let count = try FileMove.fromStore(data, store, log: log)
      print("copied \(count) files from \(store.bucket) to \(data)")
    } else {
      let count = try FileMove.toStore(data, store, log: log)
      print("moved \(count) files to \(store.bucket)")
    }
  }
}
