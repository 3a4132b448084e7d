import Timeline

/// The members of an object in the file.
struct JSONMembers {
  /// The object's path; empty for the document itself.
  let path: String
  /// The members as written.
  let object: JSONObject
  /// The log for findings.
  let log: FindingLog

  /// The path of a member. Keys that are not plain names are quoted.
  static func join(_ path: String, _ key: String) -> String {
    let isPlain =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "_-".contains(character))
      }
    guard isPlain else { return "\(path)[\"\(key)\"]" }
    return path.isEmpty ? key : "\(path).\(key)"
  }

  /// The member, if it is present.
  func optional(_ key: String) -> JSONNode? {
    object[key].map { JSONNode(path: Self.join(path, key), value: $0, log: log) }
  }

  /// The member. A missing one is reported.
  func required(_ key: String) -> JSONNode? {
    if let node = optional(key) { return node }
    log.noteHole(
      Finding(
        path: Self.join(path, key), problem: "\"\(key)\" is missing", remedy: "add it"))
    return nil
  }

  /// The members in order, for objects whose keys are chosen by the author.
  var all: [(key: String, node: JSONNode)] {
    object.keys.compactMap { key in optional(key).map { (key, $0) } }
  }
}
