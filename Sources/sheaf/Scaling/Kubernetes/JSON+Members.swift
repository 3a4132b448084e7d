import FarmAPI

extension JSON {
  /// The member with a name; `null` if the value is not an object or lacks it. Setting a member makes the value an
  /// object.
  package subscript(name: String) -> JSON {
    get {
      guard case .object(let members) = self else { return .null }
      return members[name] ?? .null
    }
    set {
      var members: [String: JSON] = [:]
      if case .object(let present) = self { members = present }
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The elements of an array; none for other values.
  package var arrayElements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  /// The object with the members of another one added.
  package func addingMembers(of other: JSON) -> JSON {
    guard case .object(let more) = other else { return self }
    var result = self
    for (name, value) in more { result[name] = value }
    return result
  }
}
