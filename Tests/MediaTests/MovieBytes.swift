import Foundation

/// The bytes of a QuickTime or MP4 file, whose boxes can be found and replaced.
struct MovieBytes {
  var data: Data

  init(path: String) throws { data = try Data(contentsOf: URL(fileURLWithPath: path)) }

  /// The ranges of the first boxes of these types, each inside the one before, including their headers.
  func boxes(_ path: String...) -> [Range<Int>]? { boxes(path) }

  private func boxes(_ path: [String]) -> [Range<Int>]? {
    var range = 0..<data.count
    var found: [Range<Int>] = []
    for type in path {
      var place = range.lowerBound
      var match: Range<Int>?
      while match == nil, place + 8 <= range.upperBound {
        let length = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length >= 8 else { return nil }
        if data[place + 4..<place + 8].elementsEqual(type.utf8) { match = place..<place + length }
        place += length
      }
      guard let match else { return nil }
      found.append(match)
      range = match.lowerBound + 8..<match.upperBound
    }
    return found
  }

  /// Replaces a box with other bytes. Chunk offsets stay correct if the media data comes first.
  mutating func replace(_ path: String..., with bytes: Data) {
    guard let found = boxes(path), let last = found.last else { return }
    for box in found.dropLast() {
      let length = UInt32(box.count - last.count + bytes.count)
      data.replaceSubrange(
        box.lowerBound..<box.lowerBound + 4,
        with: [24, 16, 8, 0].map { UInt8(length >> $0 & 0xFF) })
    }
    data.replaceSubrange(last, with: bytes)
  }

  /// A box of a type.
  static func box(_ type: String, _ payload: [UInt8]) -> Data {
    let length = UInt32(payload.count + 8)
    return Data([24, 16, 8, 0].map { UInt8(length >> $0 & 0xFF) } + Array(type.utf8) + payload)
  }

  func write(to path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }
}
