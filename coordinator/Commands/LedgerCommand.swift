import Arguments
import PostgreSQL

/// `sheaf-coordinator migrate` and `move-ledger`: maintain a ledger in a PostgreSQL database.
enum LedgerCommand {
  private static let back = Flag(
    "back", help: "Move the ledger from the database to SQLite in the data directory")

  private static let migrateSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "migrate",
    summary: "Upgrade the schema of a ledger in PostgreSQL",
    details: [
      "A new release may need this once, while no coordinator is running: `sheaf-coordinator "
        + "serve` refuses a ledger with an older schema. `migrate` makes all changes in one "
        + "transaction. It does nothing if the schema is current, and creates a ledger in an empty "
        + "database. A ledger in SQLite is upgraded when the coordinator starts."
    ],
    options: LedgerOption.requiredDeclarations,
    exitCodes: failing,
    examples: [
      Example(
        "sheaf-coordinator migrate --ledger postgresql://sheaf@db.example.org/farm",
        "Upgrade the ledger of a farm")
    ])

  private static let moveSyntax = CommandSyntax(
    program: "sheaf-coordinator", name: "move-ledger",
    summary: "Move the ledger from SQLite to PostgreSQL, or back",
    details: [
      "No coordinator may be running. Only the ledger moves; the other files of the farm stay where "
        + "they are.",
      "To PostgreSQL: the database must be empty. The old ledger stays in the data directory under "
        + "a name that ends in `.moved`. If the command is interrupted, run it again. Then start "
        + "the coordinator with the same --ledger.",
      "With --back: the tables stay in the database, but are not used any more. If the command is "
        + "interrupted, run it again. Then start the coordinator without --ledger.",
    ],
    options: [Option.data.declaration.required()] + LedgerOption.requiredDeclarations
      + [back.declaration],
    exitCodes: failing,
    examples: [
      Example(
        """
        sheaf-coordinator move-ledger --data /var/lib/sheaf \\
          --ledger postgresql://sheaf@db.example.org/farm \\
          --ledger-password-file farm.password
        """, "Move the ledger of a farm to PostgreSQL")
    ])

  private static let failing = [
    Definition("0", "success"), Definition("2", "invalid arguments, or failure"),
  ]

  static let syntaxes = [migrateSyntax, moveSyntax]

  /// Runs a subcommand.
  static func run(_ arguments: ParsedArguments) throws {
    let address = try LedgerOption.required(arguments)
    guard arguments.syntax == moveSyntax else {
      let (applied, version) = try Ledger.migrate(at: address)
      print(
        applied == 0
          ? "the schema is current: version \(version)"
          : applied == version
            ? "created a ledger with schema version \(version)"
            : "upgraded the schema to version \(version)")
      return
    }
    let data = try arguments.required(.data)
    if arguments.has(back) {
      let rows = try LedgerMove.fromServer(data, address)
      print("moved \(rows) rows from \(address) to \(DataDirectory.ledger(in: data))")
    } else {
      let (rows, old) = try LedgerMove.toServer(data, address)
      print("moved \(rows) rows to \(address); the old ledger is \(old)")
    }
  }
}
