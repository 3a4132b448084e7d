/// An AV1 unit and its place in a run of bytes (AV1 bitstream specification, 5.3).
package struct OpenBitstreamUnit: Hashable, Sendable {
  /// The type of a unit (6.2.2).
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let sequenceHeader = Kind(rawValue: 1)
    package static let temporalDelimiter = Kind(rawValue: 2)
    package static let frameHeader = Kind(rawValue: 3)
    package static let metadata = Kind(rawValue: 5)
    package static let frame = Kind(rawValue: 6)
    package static let tileList = Kind(rawValue: 8)
    package static let padding = Kind(rawValue: 15)
  }

  /// Its type.
  package let kind: Kind
  /// The spatial layer that it belongs to.
  package let spatialLayer: Int
  /// The bytes of the whole unit.
  package let whole: Range<Int>
  /// The bytes after its header and size.
  package let payload: Range<Int>

  /// The unit that begins at a place; `nil` if there is none that ends within the bytes. A unit without a size extends
  /// to their end.
  package init?(at start: Int, in bytes: UnsafeRawBufferPointer) {
    guard bytes.indices.contains(start), bytes[start] & 0x80 == 0 else { return nil }
    let header = bytes[start]
    kind = Kind(rawValue: header >> 3 & 0xF)
    var place = start + 1
    if header & 4 != 0 {
      guard place < bytes.count else { return nil }
      spatialLayer = Int(bytes[place] >> 3 & 3)
      place += 1
    } else {
      spatialLayer = 0
    }
    var end = bytes.count
    if header & 2 != 0 {
      guard let size = Self.size(at: &place, in: bytes), size <= bytes.count - place else {
        return nil
      }
      end = place + size
    }
    payload = place..<end
    whole = start..<end
  }

  /// A number of up to eight bytes of seven bits, the lowest first (4.10.5).
  private static func size(at place: inout Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    var size = 0
    for number in 0..<8 {
      guard place < bytes.count else { return nil }
      let byte = bytes[place]
      place += 1
      size |= Int(byte & 0x7F) << (number * 7)
      if byte & 0x80 == 0 { return size <= Int(UInt32.max) ? size : nil }
    }
    return nil
  }

  /// The bytes of a unit with its size, and without the layers in its header.
  static func bytes(_ kind: Kind, payload: some Collection<UInt8>) -> [UInt8] {
    var bytes = [kind.rawValue << 3 | 2]
    var size = payload.count
    repeat {
      bytes.append(UInt8(size & 0x7F) | (size > 0x7F ? 0x80 : 0))
      size >>= 7
    } while size > 0
    return bytes + payload
  }
}
