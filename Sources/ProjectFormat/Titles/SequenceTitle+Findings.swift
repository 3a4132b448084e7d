import Timeline

extension SequenceTitle {
  /// The problems that need no media, at the title's path.
  func findings(at path: FindingPath) -> [Finding] {
    var findings = textFindings(text, at: "\(path).text")
    if let subtitle {
      findings +=
        template.hasSubtitle
        ? textFindings(subtitle, at: "\(path).subtitle")
        : [
          Finding(
            path: "\(path).subtitle",
            problem: "\"subtitle\" does not apply to \"\(template.rawValue)\"", remedy: "remove it")
        ]
    }
    if template == .credits, lines.count > Self.lineCount {
      findings.append(
        Finding(
          path: "\(path).text", problem: "there are \(lines.count) lines of credits",
          remedy: "use at most \(Self.lineCount) lines for a title, and further titles for the rest"
        ))
    }
    if start < .zero {
      findings.append(
        Finding(path: "\(path).at", problem: "\(start) is negative", remedy: "use 0 or more"))
    }
    if let duration, duration < Self.shortest {
      findings.append(
        Finding(
          path: "\(path).duration", problem: "\(duration) s is too short for a title",
          remedy: "use at least \(Self.shortest) s"))
    }
    if let family, family.isEmpty || family.contains(",") || family.utf8.contains(0) {
      findings.append(
        Finding(
          path: "\(path).font", problem: "\"\(family)\" is not a valid font family",
          remedy: "use the name of one installed family"))
    }
    return findings
  }

  private func textFindings(_ text: String, at path: FindingPath) -> [Finding] {
    let isBlank = text.allSatisfy(\.isWhitespace)
    guard isBlank || text.utf8.contains(0) || text.utf8.count > Self.textLength else { return [] }
    return [
      Finding(
        path: path,
        problem: isBlank
          ? "the text is empty"
          : text.utf8.contains(0)
            ? "the text contains a NUL character"
            : "the text is too long (\(text.utf8.count) bytes)",
        remedy: "use 1 to \(Self.textLength) bytes of text")
    ]
  }
}
