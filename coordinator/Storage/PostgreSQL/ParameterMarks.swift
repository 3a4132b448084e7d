/// Turns the parameters `?1`, `?2`, … of the ledger's statements into PostgreSQL's `$1`, `$2`, ….
struct ParameterMarks {
  private var known: [String: String] = [:]

  mutating func translated(_ sql: String) -> String {
    if let text = known[sql] { return text }
    var text = ""
    var isQuoted = false
    for character in sql {
      if character == "'" { isQuoted.toggle() }
      text.append(character == "?" && !isQuoted ? "$" : character)
    }
    known[sql] = text
    return text
  }
}
