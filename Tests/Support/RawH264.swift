import Foundation

/// Raw H.264 streams (ITU-T H.264, annex B) without some of their units.
public enum RawH264 {
  /// A sequence parameter set.
  public static let sequenceSet: UInt8 = 7
  /// A picture parameter set.
  public static let pictureSet: UInt8 = 8

  /// A stream in which units of the given kinds are only before the first picture.
  public static func removing(_ kinds: Set<UInt8>, afterFirstPictureOf stream: Data) -> Data {
    let mark = Data([0, 0, 1])
    var (result, pictures, rest) = (Data(), 0, stream[...])
    while let start = rest.range(of: mark) {
      rest = rest[start.upperBound...]
      let unit = rest.prefix(upTo: rest.range(of: mark)?.lowerBound ?? rest.endIndex)
      guard let first = unit.first else { continue }
      let kind = first & 0x1F
      if (1...5).contains(kind) { pictures += 1 }
      if pictures == 0 || !kinds.contains(kind) { result += mark + unit }
    }
    return result
  }
}
