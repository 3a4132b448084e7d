/// A value of a command, as Action Message Format 0 encodes it.
package enum AMFValue: Hashable, Sendable {
  /// A property of an object. Objects keep the order of their properties.
  package struct Property: Hashable, Sendable {
    package let name: String
    package let value: AMFValue

    package init(name: String, value: AMFValue) { (self.name, self.value) = (name, value) }
  }

  case number(Double)
  case boolean(Bool)
  case string(String)
  case object([Property])
  case list([AMFValue])
  case null

  /// The text of a string; `nil` for other values.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The bytes of values in sequence (AMF 0, 2).
  package static func encode(_ values: [AMFValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { value.append(to: &bytes) }
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .number(let number):
      bytes.append(Marker.number.rawValue)
      bytes += BigEndian.bytes(number.bitPattern, count: 8)
    case .boolean(let isTrue): bytes += [Marker.boolean.rawValue, isTrue ? 1 : 0]
    case .string(let text):
      bytes.append(Marker.string.rawValue)
      Self.append(text, to: &bytes)
    case .object(let properties):
      bytes.append(Marker.object.rawValue)
      for property in properties {
        Self.append(property.name, to: &bytes)
        property.value.append(to: &bytes)
      }
      bytes += [0, 0, Marker.end.rawValue]
    case .list(let values):
      bytes.append(Marker.list.rawValue)
      bytes += BigEndian.bytes(UInt64(values.count), count: 4)
      for value in values { value.append(to: &bytes) }
    case .null: bytes.append(Marker.null.rawValue)
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let text = Array(text.utf8.prefix(Int(UInt16.max)))
    bytes += BigEndian.bytes(UInt64(text.count), count: 2) + text
  }

  /// The byte that states a value's type (AMF 0, 2.1).
  fileprivate enum Marker: UInt8 {
    case number = 0
    case boolean = 1
    case string = 2
    case object = 3
    case null = 5
    case undefined = 6
    case map = 8
    case end = 9
    case list = 10
    case date = 11
    case longString = 12
  }
}

/// Reads values from the bytes of a command.
package struct AMFReader {
  private var bytes: ArraySlice<UInt8>

  /// The number of objects or lists inside one another that are read.
  private static let mostDepth = 8

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Reads all values.
  ///
  /// - Throws: ``RTMPError`` if the bytes are not values.
  package static func values(in bytes: ArraySlice<UInt8>) throws(RTMPError) -> [AMFValue] {
    var reader = AMFReader(bytes)
    var values: [AMFValue] = []
    while !reader.bytes.isEmpty { values.append(try reader.value(depth: 0)) }
    return values
  }

  private mutating func value(depth: Int) throws(RTMPError) -> AMFValue {
    guard depth < Self.mostDepth else { throw RTMPError("a command is nested too deeply") }
    let number = try take(1)[0]
    guard let marker = AMFValue.Marker(rawValue: number) else {
      throw RTMPError("a command has a value of the unknown type \(number)")
    }
    switch marker {
    case .number: return .number(Double(bitPattern: BigEndian.number(try take(8))))
    case .boolean: return .boolean(try take(1)[0] != 0)
    case .string: return .string(try text(lengthSize: 2))
    case .longString: return .string(try text(lengthSize: 4))
    case .object: return .object(try properties(depth: depth))
    case .map:
      // The number of properties, which need not be right.
      _ = try take(4)
      return .object(try properties(depth: depth))
    case .list:
      let count = BigEndian.number(try take(4))
      var values: [AMFValue] = []
      for _ in 0..<count { values.append(try value(depth: depth + 1)) }
      return .list(values)
    case .date:
      let milliseconds = Double(bitPattern: BigEndian.number(try take(8)))
      _ = try take(2)
      return .number(milliseconds)
    case .null, .undefined: return .null
    case .end: throw RTMPError("a command ends an object that did not begin")
    }
  }

  private mutating func properties(depth: Int) throws(RTMPError) -> [AMFValue.Property] {
    var properties: [AMFValue.Property] = []
    while true {
      let name = try text(lengthSize: 2)
      if name.isEmpty, bytes.first == AMFValue.Marker.end.rawValue {
        bytes.removeFirst()
        return properties
      }
      properties.append(AMFValue.Property(name: name, value: try value(depth: depth + 1)))
    }
  }

  private mutating func text(lengthSize: Int) throws(RTMPError) -> String {
    let count = BigEndian.number(try take(lengthSize))
    return String(decoding: try take(Int(clamping: count)), as: UTF8.self)
  }

  private mutating func take(_ count: Int) throws(RTMPError) -> [UInt8] {
    guard bytes.count >= count else { throw RTMPError("a command is cut short") }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }
}
