extension TimeRange: Codable {
  private enum CodingKeys: String, CodingKey { case start, duration }

  /// Encodes `{"start": T, "duration": T}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(start, forKey: .start)
    try container.encode(duration, forKey: .duration)
  }

  /// Decodes `{"start": T, "duration": T}`. A range whose end does not fit in 64 bits is rejected.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let start = try container.decode(RationalTime.self, forKey: .start)
    let duration = try container.decode(RationalTime.self, forKey: .duration)
    do throws(TimeError) {
      try self.init(start: start, duration: duration)
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: .duration, in: container,
        debugDescription: "a range that starts at \(start) s and lasts \(duration) s ends at a "
          + "time that does not fit in a 64-bit fraction")
    }
  }
}
