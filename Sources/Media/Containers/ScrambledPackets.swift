/// Scrambled packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3.2), which libav drops or mistakes for media.
enum ScrambledPackets {
  /// The number of places that are sampled, evenly spread over the file.
  private static let places: Int64 = 64
  /// The number of bytes that are read at each place.
  private static let window = 256 << 10
  /// The distances between packets: plain ones, those with a time code before each, and those with a checksum after it.
  private static let strides = [188, 192, 204]
  private static let synchronization: UInt8 = 0x47

  /// The packet identifiers for which more than a tenth of the packets are scrambled. A smaller share indicates damage.
  static func identifiers(
    in source: any ByteSource, named name: String
  ) throws(MediaError) -> Set<Int> {
    let reader = BoxReader(source: source, name: name)
    var counts: [Int: (all: Int, scrambled: Int)] = [:]
    let step = max(source.size / places, Int64(window))
    var offset: Int64 = 0
    while offset < source.size {
      let bytes = try reader.bytes(at: offset, count: window)
      if let (first, stride) = packets(in: bytes) {
        for start in Swift.stride(from: first, to: bytes.count - 3, by: stride)
        where bytes[start] == synchronization && bytes[start + 3] & 0x10 != 0 {
          let id = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
          counts[id, default: (0, 0)].all += 1
          // Transport scrambling control: 0 is clear.
          if bytes[start + 3] & 0xC0 != 0 { counts[id, default: (0, 0)].scrambled += 1 }
        }
      }
      offset += step
    }
    return Set(counts.filter { $0.value.scrambled * 10 > $0.value.all }.keys)
  }

  /// The place of the first packet and the distance to the next one; `nil` if there is no run of packets.
  private static func packets(in bytes: [UInt8]) -> (first: Int, stride: Int)? {
    for first in 0..<min(strides[2], bytes.count) where bytes[first] == synchronization {
      for stride in strides {
        let following = (1...4).map { first + $0 * stride }.filter { $0 < bytes.count }
        if !following.isEmpty, following.allSatisfy({ bytes[$0] == synchronization }) {
          return (first, stride)
        }
      }
    }
    return nil
  }
}
