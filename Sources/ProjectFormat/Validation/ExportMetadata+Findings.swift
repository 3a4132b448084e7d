import Timeline

extension ExportMetadata {
  /// The problems of the metadata.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    for (key, text) in [("title", title), ("artist", artist), ("copyright", copyright)] {
      guard let text, text.isEmpty || text.utf8.count > 1000 || text.utf8.contains(0) else {
        continue
      }
      findings.append(
        Finding(
          path: "\(path).\(key)",
          problem: "the text (\(text.utf8.count) bytes) is empty, too long or contains a NUL",
          remedy: "use 1 to 1000 bytes without NUL characters"))
    }
    if let creationDate, !Self.isDate(creationDate) {
      findings.append(
        Finding(
          path: "\(path).creationDate", problem: "\"\(creationDate)\" is not a valid date",
          remedy: "use a date from 1970-01-02 to 2039-12-31, such as 2026-11-20 or"
            + " 2026-11-20T18:30:00Z"))
    }
    return findings
  }

  /// Whether a text is `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, in the years that files can store.
  static func isDate(_ text: String) -> Bool {
    let form = text.count == 10 ? "0000-00-00" : "0000-00-00T00:00:00Z"
    guard text.utf8.count == form.utf8.count,
      zip(text.utf8, form.utf8).allSatisfy({ character, place in
        place == UInt8(ascii: "0") ? (48...57).contains(character) : character == place
      })
    else { return false }
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    guard (1970...2039).contains(year), (1...12).contains(month) else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    guard (1...days).contains(day), (year, month, day) != (1970, 1, 1) else { return false }
    return numbers.count == 3 || (numbers[3] < 24 && numbers[4] < 60 && numbers[5] < 60)
  }
}

extension Chapter {
  /// The problems of a list of chapters.
  static func findings(_ chapters: [Chapter], at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    if chapters.count > 255 {
      findings.append(
        Finding(
          path: path, problem: "there are \(chapters.count) chapters, more than the limit of 255",
          remedy: "remove some"))
    }
    for (number, chapter) in chapters.enumerated() {
      let last = number == 0 ? nil : chapters[number - 1].time
      if chapter.time < .zero || last.map({ chapter.time <= $0 }) ?? false {
        findings.append(
          Finding(
            path: "\(path)[\(number)].time",
            problem: last.map { "\(chapter.time) is not after \($0)" }
              ?? "\(chapter.time) is negative",
            remedy: "list the chapters in chronological order, starting at 0 or later"))
      }
      if chapter.title.isEmpty || chapter.title.utf8.count > 255 || chapter.title.utf8.contains(0) {
        findings.append(
          Finding(
            path: "\(path)[\(number)].title",
            problem:
              "the title (\(chapter.title.utf8.count) bytes) is empty, too long or contains a NUL",
            remedy: "use 1 to 255 bytes without NUL characters"))
      }
    }
    return findings
  }
}
