import Arguments
import FarmAPI

/// Every subcommand, and the syntax of the whole program.
package enum CoordinatorCommands {
  /// The syntax of the program.
  package static let program = ProgramSyntax(
    name: "sheaf-coordinator",
    summary: "Runs a coordinator of a render farm, and maintains its data directory",
    details: ["`serve` opens media in child processes (`sheaf-media`)."],
    commands: [ServeConfiguration.syntax] + TokenCommand.syntaxes + [ForgetCommand.syntax]
      + MaintenanceCommand.syntaxes + LedgerCommand.syntaxes + [FilesCommand.syntax]
      + [HealthCommand.syntax],
    environment: LedgerOption.variables + StoreOption.variables,
    exitCodes: [
      Definition("0", "success"), Definition("1", "failure"), Definition("2", "invalid arguments"),
    ],
    examples: [
      Example(
        "sheaf-coordinator serve --data /var/lib/sheaf", "Accept connections from this host only")
    ], version: SheafVersion.current)
}
