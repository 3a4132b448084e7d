/// The named values of a line in a log, in order.
///
/// Lines about work use the same names everywhere: `job`, `segment`, `attempt`, `worker` (its name), `worker-id`, `host`.
public struct LogFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// A named value.
  public struct Field: Hashable, Sendable {
    /// The name, which is a constant of the program.
    public let name: String
    /// The value, which may come from outside.
    public let value: String
  }

  /// The fields.
  public private(set) var fields: [Field]

  /// Creates fields in the order of the literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Adds a field, unless its value is `nil`.
  public mutating func add(_ name: String, _ value: String?) {
    if let value { fields.append(Field(name: name, value: value)) }
  }

  /// The fields of both, without those on the right that the left one has, too.
  public static func + (left: LogFields, right: LogFields) -> LogFields {
    var sum = left
    for field in right.fields where !left.fields.contains(where: { $0.name == field.name }) {
      sum.fields.append(field)
    }
    return sum
  }
}
