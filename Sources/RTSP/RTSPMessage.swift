/// The header fields of a message. Names are compared without regard to case.
package struct RTSPHeaders: Hashable, Sendable {
  /// A field of a header.
  private struct Field: Hashable {
    let name: String
    var value: String
  }

  private var fields: [Field] = []

  init() {}

  /// The value of the first field with a name.
  package subscript(name: String) -> String? { all(name).first }

  /// The values of all fields with a name.
  package func all(_ name: String) -> [String] {
    fields.filter { $0.name == name.lowercased() }.map(\.value)
  }

  mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name.lowercased(), value: value))
  }

  /// Continues the value of the last field.
  mutating func extend(_ more: String) {
    guard !fields.isEmpty else { return }
    fields[fields.count - 1].value += " " + more
  }

  /// The sequence number that connects a response with its request.
  package var sequence: Int? { self["CSeq"].flatMap { Int($0) } }
}

/// A server's answer to a request.
package struct RTSPResponse: Hashable, Sendable {
  /// The status code, from 100 to 999.
  package let status: Int
  /// The reason as the server states it, in visible characters.
  package let reason: String
  package let headers: RTSPHeaders
  package let body: [UInt8]

  /// The status code and the reason, for messages.
  var summary: String { reason.isEmpty ? "\(status)" : "\(status) \(reason)" }
}

/// A request that a server sent.
package struct RTSPServerRequest: Hashable, Sendable {
  package let headers: RTSPHeaders
}
