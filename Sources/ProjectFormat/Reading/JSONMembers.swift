import Timeline

/// The members of an object in the file.
struct JSONMembers {
  /// The object's path; empty for the document itself.
  let path: FindingPath
  /// The members as written.
  let object: JSONObject
  let log: FindingLog

  /// The member, if it is present.
  func optional(_ key: String) -> JSONNode? {
    object[key].map { JSONNode(path: "\(path).\(key)", value: $0, log: log) }
  }

  /// The member. A missing one is reported.
  func required(_ key: String) -> JSONNode? {
    if let node = optional(key) { return node }
    log.noteHole(
      Finding(
        path: "\(path).\(key)", problem: "\"\(key)\" is missing", remedy: "add it"))
    return nil
  }

  /// The members in order, for objects whose keys are chosen by the author.
  var all: [(key: String, node: JSONNode)] {
    object.keys.compactMap { key in optional(key).map { (key, $0) } }
  }
}
