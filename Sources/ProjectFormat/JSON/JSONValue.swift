import Timeline

/// A JSON value that keeps the text of numbers and the order of keys.
///
/// Foundation's decoders turn `2.0` into an integer, use the last of two duplicate keys and accept trailing commas.
/// ``JSONParser`` does none of that, so that it never misreads what the author of a project file wrote.
enum JSONValue: Hashable, Sendable {
  case object(JSONObject)
  case array([JSONValue])
  case string(String)
  /// The text of a number that is valid by the grammar of RFC 8259.
  case number(String)
  case bool(Bool)
  case null

  /// The value for messages: a scalar as written, shortened if necessary, or the kind of value.
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

  /// The number of members above which keys are hashed. For fewer members, a linear search is faster and takes less
  /// memory.
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

  /// Adds a member. Returns false if the key already exists.
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
