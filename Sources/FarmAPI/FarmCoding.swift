import Foundation
import Timeline

/// The JSON of the protocol: ISO 8601 dates, keys in order.
public enum FarmCoding {
  /// The bytes of a value.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  /// The value of bytes.
  ///
  /// - Parameter frames: how many frames the value's tables may have in all; as many as they say where `nil`.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, frames: Int? = nil
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let frames, let key = FrameBudget.key { decoder.userInfo[key] = FrameBudget(frames) }
    return try decoder.decode(type, from: data)
  }
}
