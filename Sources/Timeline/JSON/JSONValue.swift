/// A JSON document as it is written: numbers keep their text, objects the order of their keys.
///
/// Foundation's decoders turn `2.0` into an integer, take the last of two equal keys and let a comma trail; a project
/// file must not lose what its author wrote, so it is read with ``JSONParser`` instead.
enum JSONValue: Hashable, Sendable {
  case object(JSONObject)
  case array([JSONValue])
  case string(String)
  /// The number's text, which the grammar of RFC 8259 has accepted.
  case number(String)
  case bool(Bool)
  case null

  /// How a message shows the value: short scalars as written, else what it is.
  var shown: String {
    switch self {
    case .object: "an object"
    case .array: "a list"
    case .string(let text): text.count <= 60 ? "\"\(text)\"" : "\"\(text.prefix(60))…\""
    case .number(let text): text.count <= 60 ? text : "\(text.prefix(60))…"
    case .bool(let flag): "\(flag)"
    case .null: "null"
    }
  }
}

/// A JSON object whose keys are distinct.
struct JSONObject: Hashable, Sendable {
  private struct Member: Hashable {
    let key: String
    let value: JSONValue
  }

  /// Objects of a project have few members, and going through them takes less room and time than hashing.
  private static let hashedCount = 16

  private var members: [Member] = []
  /// The positions of the keys, once there are more than ``hashedCount``.
  private var positions: [String: Int] = [:]

  /// The keys as written, in order.
  var keys: [String] { members.map(\.key) }

  subscript(key: String) -> JSONValue? { position(of: key).map { members[$0].value } }

  private func position(of key: String) -> Int? {
    positions.isEmpty ? members.firstIndex { $0.key == key } : positions[key]
  }

  /// Adds a member; false if the key is there already.
  mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
    guard position(of: key) == nil else { return false }
    members.append(Member(key: key, value: value))
    if !positions.isEmpty {
      positions[key] = members.count - 1
    } else if members.count > Self.hashedCount {
      for (position, member) in members.enumerated() { positions[member.key] = position }
    }
    return true
  }
}
