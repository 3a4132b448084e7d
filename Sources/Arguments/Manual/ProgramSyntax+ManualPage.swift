extension ProgramSyntax {
  /// The manual page in the `man` macros of troff, without a line feed at its end.
  package var manualPage: String {
    var page = ManualPage(title: name, version: version)
    page.section("NAME")
    page.text("\(name) - \(summary.prefix(1).lowercased() + summary.dropFirst())")
    page.section("SYNOPSIS")
    page.lines((main.map { [$0] } ?? []).map(\.usage) + [usageOfSubcommands])
    page.section("DESCRIPTION")
    page.text(summary + ".")
    for paragraph in main?.details ?? details { page.paragraph(paragraph) }
    if let main { page.arguments(of: main, section: true) }
    page.section("COMMANDS")
    page.text("Every command has --help, also written -h.")
    if version != nil { page.text("\(name) \(Self.versionOption) prints the version.") }
    for command in subcommands {
      page.subsection(command.usage)
      page.text(command.summary + ".")
      for paragraph in command.details { page.paragraph(paragraph) }
      page.arguments(of: command, section: false)
      page.exitCodes(command.exitCodes)
      page.examples(command.examples)
    }
    if !environment.isEmpty {
      page.section("ENVIRONMENT")
      for each in environment { page.term(each.term, each.meaning) }
    }
    page.section("EXIT STATUS")
    for each in exitCodes { page.term(each.term, each.meaning) }
    page.section("EXAMPLES")
    page.examples(examples)
    return page.source
  }

  private var usageOfSubcommands: String {
    main == nil
      ? "\(name) COMMAND [options]"
      : subcommands.map(\.usage).joined(separator: "\n")
  }
}
