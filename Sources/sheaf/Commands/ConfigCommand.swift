import Arguments
import FarmAPI

/// `sheaf config`: prints every setting with the place that it comes from.
struct ConfigCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "config", summary: "Print every setting, and where it comes from",
    details: [
      "A flag overrides an environment variable, which overrides the configuration file, which "
        + "overrides the default. Give the flags of another command to see what it would use.",
      "The configuration file is $XDG_CONFIG_HOME/sheaf/config, or ~/.config/sheaf/config. It "
        + "contains lines such as `coordinator = https://farm.example:7420`. The names are those "
        + "of the options below, except --json. Put spaces between the addresses of several "
        + "coordinators. Lines that begin with # are comments. A token does "
        + "not belong in it: save the token in a file with mode 0600, and set token-file to its "
        + "path.",
      "These are the settings of `sheaf` only. `sheaf-coordinator` and `sheaf-worker` do not read "
        + "the file.",
    ],
    options: FarmSettings.options + [Flag.json.declaration],
    examples: [
      Example("sheaf config", "Print the settings"),
      Example(
        "sheaf config --coordinator http://rack:7420", "Show that the flag overrides the others"),
    ])

  private let listing: SettingListing
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    listing = SettingListing(try FarmSettings(arguments))
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    if printsJSON { return try console.print(json: listing) }
    try console.print(listing.table)
    try console.print("")
    try console.print(
      prose: "configuration file: \(listing.file)" + (listing.fileExists ? "" : " (not found)"))
  }
}
