extension RationalTime: Codable {
  /// Encodes an integer if the time is a whole number of seconds, or else the string `"n/d"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if denominator == 1 {
      try container.encode(numerator)
    } else {
      try container.encode(description)
    }
  }

  /// Decodes an integer, or a string that ``init(_:)-(String)`` parses. Other numbers are rejected.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      do throws(TimeTextError) {
        try self.init(text)
      } catch {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
      }
    } else if let seconds = try? container.decode(Int64.self) {
      self.init(seconds)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "a time is an integer or a string such as \"1/30\" or \"2.5\"")
    }
  }
}
