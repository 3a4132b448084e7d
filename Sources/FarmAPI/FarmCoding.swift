import Foundation
import Timeline

/// The JSON of the protocol: ISO 8601 dates, sorted keys.
public enum FarmCoding {
  /// Encodes a value.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  /// Decodes a value.
  ///
  /// - Parameter frames: the maximum number of frames in all of the value's tables together; `nil` for no limit.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, frames: Int? = nil
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let frames, let key = FrameBudget.key { decoder.userInfo[key] = FrameBudget(frames) }
    return try decoder.decode(type, from: data)
  }
}
