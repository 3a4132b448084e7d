extension ExportMetadata {
  /// The problems of the metadata.
  func findings(at path: String) -> [Finding] {
    var findings: [Finding] = []
    for (key, text) in [("title", title), ("artist", artist), ("copyright", copyright)] {
      guard let text, text.isEmpty || text.utf8.count > 1000 || text.utf8.contains(0) else {
        continue
      }
      findings.append(
        Finding(
          path: "\(path).\(key)", problem: "\(text.utf8.count) bytes of text cannot be written",
          remedy: "give 1 to 1000 bytes without NUL"))
    }
    if let creationDate, !Self.isDate(creationDate) {
      findings.append(
        Finding(
          path: "\(path).creationDate", problem: "\"\(creationDate)\" is not a date",
          remedy: "give a date from 1970-01-02 to 2039-12-31, as 2026-11-20 or 2026-11-20T18:30:00Z"
        ))
    }
    return findings
  }

  /// Whether a text is `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, in the years that a file's clock holds.
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
  static func findings(_ chapters: [Chapter], at path: String) -> [Finding] {
    var findings: [Finding] = []
    if chapters.count > 255 {
      findings.append(
        Finding(
          path: path, problem: "\(chapters.count) chapters are too many", remedy: "give up to 255"))
    }
    for (number, chapter) in chapters.enumerated() {
      let last = number == 0 ? nil : chapters[number - 1].time
      if chapter.time < .zero || last.map({ chapter.time <= $0 }) ?? false {
        findings.append(
          Finding(
            path: "\(path)[\(number)].time",
            problem: "\(chapter.time) does not come after \(last ?? .zero)",
            remedy: "write the chapters in the order of time, from 0 on"))
      }
      if chapter.title.isEmpty || chapter.title.utf8.count > 255 || chapter.title.utf8.contains(0) {
        findings.append(
          Finding(
            path: "\(path)[\(number)].title",
            problem: "\(chapter.title.utf8.count) bytes of text cannot be written",
            remedy: "give 1 to 255 bytes without NUL"))
      }
    }
    return findings
  }
}
