/// The header fields of a message, in order. Names are case-insensitive.
public struct Headers: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name as it was written.
    public let name: String
    /// The value without surrounding white space.
    public let value: String
  }

  /// The fields in the order in which they arrived or were added.
  public private(set) var fields: [Field] = []

  /// Creates an empty list of fields.
  public init() {}

  /// Creates fields with these names and values, ordered by name.
  public init(_ fields: [String: String]) {
    self.fields = fields.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
  }

  /// The first value of the field called `name`. Setting it replaces every value; `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.same($0.name, name) }?.value }
    set {
      fields.removeAll { Self.same($0.name, name) }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  /// Every value of the field called `name`, in order.
  public func values(of name: String) -> [String] {
    fields.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Adds a field, and keeps existing fields with the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Adds every field of `other`, and removes existing fields with the same names.
  mutating func merge(_ other: Headers) {
    for field in other.fields { self[field.name] = nil }
    fields += other.fields
  }

  private static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension Headers: ExpressibleByDictionaryLiteral {
  /// Creates the fields of a literal, in order. A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }
}
