import Crypto
import FarmAPI
import Foundation
import Planning
import Timeline

/// Derives the JSON schema of a type by letting the type decode itself.
///
/// The decoder notes each member that the type asks for, and answers with a placeholder. A member is required unless the
/// type first asks whether it is null, as decoded optionals do.
final class SchemaDecoder: Decoder {
  /// How many types contain the one that is decoded. A type that contains itself has no schema.
  private let depth: Int
  private var members: [String: JSON] = [:]
  private var optional: Set<String> = []
  private var other: JSON? {
    didSet { if let other { noted?(other) } }
  }
  /// Takes the schema of a list that is decoded as a member.
  private var noted: ((JSON) -> Void)?

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  private static let deepest = 32

  private init(depth: Int) { self.depth = depth }

  /// The schema of a type.
  ///
  /// - Throws: `DecodingError` if the type cannot be decoded from placeholders.
  static func schema<Value: Decodable>(of type: Value.Type) throws -> JSON {
    try placeholder(type, depth: 0).schema
  }

  private var schema: JSON {
    if let other { return other }
    let required = members.keys.filter { !optional.contains($0) }.sorted()
    return [
      "type": "object", "properties": .object(members),
      "required": .array(required.map { .string($0) }),
    ]
  }

  /// Types whose JSON says more than their members do.
  private static let leaves: [(value: any Decodable & Sendable, schema: JSON)] = [
    (false, ["type": "boolean"]), ("", ["type": "string"]),
    (0.0, ["type": "number", "format": "double"]),
    (0, ["type": "integer", "format": "int64"]),
    (Int64(0), ["type": "integer", "format": "int64"]),
    (Int32(0), ["type": "integer", "format": "int32"]),
    (Int16(0), ["type": "integer"]), (Int8(0), ["type": "integer"]),
    (UInt(0), count(from: 0)), (UInt64(0), count(from: 0)), (UInt32(0), count(from: 0)),
    (UInt16(0), count(from: 0)), (UInt8(0), count(from: 0)),
    (Float(0), ["type": "number", "format": "float"]),
    (Date(timeIntervalSince1970: 0), ["type": "string", "format": "date-time"]),
    (Data(), ["type": "string", "contentEncoding": "base64"]),
    (Digest.of([UInt8]()), digest),
    (
      RecordingSource(.udp, host: "239.1.2.3", port: 5000),
      ["type": "string", "pattern": .string(RecordingSource.pattern)]
    ),
    (
      RecordingPassphrase("ten letters"),
      [
        // JSON Schema counts characters, of which each has at most four bytes in UTF-8.
        "type": "string",
        "minLength": .integer((RecordingPassphrase.byteCounts.lowerBound + 3) / 4),
        "maxLength": .integer(RecordingPassphrase.byteCounts.upperBound),
      ]
    ),
    (
      RationalTime(0),
      [
        "description": "Seconds, exactly: an integer, or a fraction such as \"1/30\".",
        "oneOf": [["type": "integer", "format": "int64"], ["type": "string"]],
      ]
    ),
    (
      SegmentDescription(
        first: 0, end: 1, frameDuration: RationalTime(1),
        renderSize: PixelSize(width: 2, height: 2), video: VideoSettings(), sources: [],
        slices: []),
      [
        "type": "object",
        "description": "What to render, for workers of the coordinator's own version.",
      ]
    ),
  ]

  /// The schema of an integer within bounds.
  static func count(from first: Int, to last: Int? = nil) -> JSON {
    var schema: [String: JSON] = ["type": "integer", "minimum": .integer(first)]
    if let last { schema["maximum"] = .integer(last) }
    return .object(schema)
  }

  /// The schema of an integer in a range.
  static func count(in range: ClosedRange<Int>) -> JSON {
    count(from: range.lowerBound, to: range.upperBound)
  }

  /// The schema of an index or a number of elements to skip, in ``Request/after`` and paths.
  static let index = count(from: 0, to: Int(Int32.max))

  /// The schema of a SHA-256.
  static let digest: JSON = ["type": "string", "pattern": "^[0-9a-f]{64}$"]

  private static func placeholder<Value: Decodable>(
    _ type: Value.Type, depth: Int
  ) throws -> (value: Value, schema: JSON) {
    for leaf in leaves {
      if let value = leaf.value as? Value { return (value, leaf.schema) }
    }
    if let kind = type as? any CaseIterable.Type, let cases = names(kind),
      let first = cases.first as? Value
    {
      return (first, ["type": "string", "enum": .array(cases.names.map { .string($0) })])
    }
    if let map = type as? any StringKeyed.Type, let value = map.empty as? Value {
      return (value, ["type": "object", "additionalProperties": try map.valueSchema()])
    }
    guard depth < deepest else { throw unsupported([]) }
    let decoder = SchemaDecoder(depth: depth + 1)
    return (try Value(from: decoder), decoder.schema)
  }

  /// The names of an enumeration's cases, and the first case; `nil` if the cases are not texts.
  private static func names<Cases: CaseIterable>(
    _ type: Cases.Type
  ) -> (first: Any, names: [String])? {
    let names = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    guard let first = type.allCases.first, names.count == type.allCases.count else { return nil }
    return (first, names)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  private static func unsupported(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: "no schema for this type"))
  }

  /// The members of an object.
  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
      decoder.optional.insert(key.stringValue)
      return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let (value, schema) = try SchemaDecoder.placeholder(type, depth: decoder.depth)
      decoder.members[key.stringValue] = schema
      return value
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw SchemaDecoder.unsupported([key]) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      let list = SchemaDecoder(depth: decoder.depth + 1)
      list.noted = { [decoder] in decoder.members[key.stringValue] = $0 }
      return Elements(decoder: list)
    }

    func superDecoder() throws -> any Decoder { throw SchemaDecoder.unsupported([]) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
      throw SchemaDecoder.unsupported([key])
    }
  }

  /// A list, of which one element is decoded.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0

    init(decoder: SchemaDecoder) { self.decoder = decoder }

    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let (value, schema) = try SchemaDecoder.placeholder(type, depth: decoder.depth)
      decoder.other = ["type": "array", "items": schema]
      currentIndex += 1
      return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw SchemaDecoder.unsupported([]) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw SchemaDecoder.unsupported([])
    }

    mutating func superDecoder() throws -> any Decoder { throw SchemaDecoder.unsupported([]) }
  }

  /// A value that is not an object or a list.
  private struct Single: SingleValueDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let (value, schema) = try SchemaDecoder.placeholder(type, depth: decoder.depth)
      decoder.other = schema
      return value
    }
  }
}

/// A dictionary with text keys.
private protocol StringKeyed {
  static var empty: Self { get }
  static func valueSchema() throws -> JSON
}

extension Dictionary: StringKeyed where Key == String, Value: Decodable {
  fileprivate static var empty: Self { [:] }
  fileprivate static func valueSchema() throws -> JSON { try SchemaDecoder.schema(of: Value.self) }
}
