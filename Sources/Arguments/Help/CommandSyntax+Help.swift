extension CommandSyntax {
  /// The text of `--help`, at most 80 columns wide, without a line feed at its end.
  package var helpText: String {
    var lines = HelpLayout.wrapped(summary + ".") + [""]
    lines += HelpLayout.wrapped(usage, after: "usage: ", indent: 7)
    for paragraph in details { lines += [""] + HelpLayout.wrapped(paragraph) }
    if let operand {
      lines += [""] + HelpLayout.columns([(operand.placeholder, operand.help)])
    }
    for group in groups {
      lines += [""] + HelpLayout.wrapped(group.title + ":")
      lines += HelpLayout.columns(group.options.map { ($0.signature, $0.help) })
    }
    lines += HelpLayout.exitCodes(exitCodes) + HelpLayout.examples(examples)
    return lines.joined(separator: "\n")
  }
}
