import Timeline

/// A value of the file, with its path and the log for its findings.
struct JSONNode {
  /// The value's path, e.g. `export.video.crf`.
  let path: FindingPath
  /// The value as written.
  let value: JSONValue
  let log: FindingLog

  /// Reports the value as unreadable.
  func refuse(_ problem: String, _ remedy: String) {
    log.noteHole(Finding(path: path, problem: problem, remedy: remedy))
  }

  private func refuse(expecting expected: String) {
    refuse("\(value.shown) is not \(expected)", "use \(expected)")
  }

  /// The beginning of keys that are comments, whose values are ignored.
  private static let comment = "//"

  /// The members. Keys that are not in `known` are reported, except comments.
  ///
  /// - Parameter later: Keys of the model that this version does not support; they are reported as not supported yet.
  func object(_ known: [String], later: [String] = []) -> JSONMembers? {
    guard case .object(let object) = value else {
      refuse(expecting: "an object")
      return nil
    }
    for key in object.keys where !known.contains(key) && !key.hasPrefix(Self.comment) {
      let keyPath: FindingPath = "\(path).\(key)"
      if later.contains(key) {
        log.note(.unsupported(keyPath, "\"\(key)\"", remedy: "remove it"))
      } else {
        log.note(
          Finding(
            path: keyPath, problem: "\"\(key)\" is not a known key",
            remedy: known.isEmpty
              ? "remove it" : "known keys: \(known.joined(separator: ", "))"))
      }
    }
    return JSONMembers(path: path, object: object, log: log)
  }

  /// The elements.
  func array() -> [JSONNode]? {
    guard case .array(let elements) = value else {
      refuse(expecting: "a list")
      return nil
    }
    return elements.enumerated().map { JSONNode(path: "\(path)[\($0)]", value: $1, log: log) }
  }

  func string() -> String? {
    guard case .string(let text) = value else {
      refuse(expecting: "a string")
      return nil
    }
    return text
  }

  /// `true` or `false`.
  func bool() -> Bool? {
    guard case .bool(let flag) = value else {
      refuse(expecting: "true or false")
      return nil
    }
    return flag
  }

  /// A whole number that fits in 64 bits.
  func integer() -> Int? {
    guard case .number(let text) = value, let number = Int(text) else {
      refuse(expecting: "a whole number")
      return nil
    }
    return number
  }

  /// A finite number: a JSON number, or a string such as `"0.4"` or `"1/3"`.
  func number() -> Double? {
    switch value {
    case .number(let text):
      if let number = Double(text), number.isFinite { return number }
    case .string(let text):
      if let exact = try? RationalTime(text) { return exact.seconds }
    default: break
    }
    refuse(expecting: "a number")
    return nil
  }

  /// A time: an integer, `"n/d"` or an exact decimal string.
  func time() -> RationalTime? {
    switch value {
    case .number(let text) where text.contains(where: { ".eE".contains($0) }):
      refuse(
        "\(value.shown) is a floating-point number", "write the time as \"\(text)\" or \"n/d\"")
    case .number(let text):
      if let seconds = Int64(text) { return RationalTime(seconds) }
      refuse("\(value.shown) does not fit in 64 bits", "use a time in seconds")
    case .string(let text):
      do throws(TimeTextError) {
        return try RationalTime(text)
      } catch {
        refuse(error.problem, error.remedy)
      }
    default:
      refuse("\(value.shown) is not a time", TimeTextError.form)
    }
    return nil
  }

  /// `{"start": T, "duration": T}`.
  func timeRange() -> TimeRange? {
    guard let members = object(["start", "duration"]) else { return nil }
    let start = members.required("start")?.time()
    let duration = members.required("duration")?.time()
    guard let start, let duration else { return nil }
    do throws(TimeError) {
      return try TimeRange(start: start, duration: duration)
    } catch {
      refuse(
        "a range that starts at \(start) s and lasts \(duration) s ends at a time that does not fit in "
          + "a 64-bit fraction",
        "use simpler times")
      return nil
    }
  }

  /// One of the names of an enumeration.
  ///
  /// - Parameter later: Names that this version does not support; they are reported as not supported yet.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of type: Choice.Type, later: [String] = []
  ) -> Choice? {
    guard let text = string() else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    if later.contains(text) {
      log.noteHole(.unsupported(path, value.shown, remedy: "choose one of: \(names)"))
    } else {
      refuse("\(value.shown) is not a valid value", "choose one of: \(names)")
    }
    return nil
  }
}
