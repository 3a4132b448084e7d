import Foundation

/// A raw H.264 stream (ITU-T H.264, annex B) of pictures of one macroblock, whose reference pictures are marked as a
/// test wants, valid or not.
struct TinyH264 {
  /// A picture, which is a reference.
  enum Picture {
    /// A gray picture that resets the decoder.
    case reset
    /// A gray picture, at which decoding can start.
    case start(releasing: [Int]?)
    /// A copy of the picture before.
    case copy(releasing: [Int]?)

    /// The distances of the frame numbers of references that it releases; `nil` if it has no commands.
    var releases: [Int]? {
      switch self {
      case .reset: nil
      case .start(let releases), .copy(let releases): releases
      }
    }
  }

  /// The most references that the sequence states.
  var mostReferences: Int
  var pictures: [Picture]

  /// The stream.
  var data: Data {
    var data = Data()
    func add(_ first: UInt8, _ bytes: [UInt8]) { data += [0, 0, 1, first] + bytes }
    add(0x67, sequenceSet)
    add(0x68, Self.pictureSet)
    for (number, picture) in pictures.enumerated() {
      // Supplemental information: an exact recovery point (D.1.8).
      if case .start = picture { add(0x06, [6, 1, 0b1100_0100, 0x80]) }
      if case .reset = picture {
        add(0x65, Self.slice(picture, number: number))
      } else {
        add(0x61, Self.slice(picture, number: number))
      }
    }
    return data
  }

  /// 7.3.2.1.1: Baseline, frame numbers of 4 bits, presented as decoded.
  private var sequenceSet: [UInt8] {
    var bits = Bits()
    for byte in [66, 0xC0, 30] { bits.add(byte, 8) }
    for number in [0, 0, 2, mostReferences] { bits.add(unsigned: number) }
    bits.add(0, 1)
    for number in [0, 0] { bits.add(unsigned: number) }
    bits.add(0b1100, 4)
    return bits.finished
  }

  /// 7.3.2.2
  private static var pictureSet: [UInt8] {
    var bits = Bits()
    for number in [0, 0] { bits.add(unsigned: number) }
    bits.add(0, 2)
    for number in [0, 0, 0] { bits.add(unsigned: number) }
    bits.add(0, 3)
    for number in [0, 0, 0] { bits.add(unsigned: number) }
    bits.add(0, 3)
    return bits.finished
  }

  /// 7.3.3 and 7.3.4
  private static func slice(_ picture: Picture, number: Int) -> [UInt8] {
    var bits = Bits()
    var isCopy = false
    if case .copy = picture { isCopy = true }
    for number in [0, isCopy ? 5 : 7, 0] { bits.add(unsigned: number) }
    bits.add(number & 15, 4)
    if isCopy { bits.add(0, 2) }
    if case .reset = picture {
      bits.add(unsigned: 0)
      bits.add(0, 2)
    } else {
      bits.add(picture.releases == nil ? 0 : 1, 1)
      for distance in picture.releases ?? [] {
        bits.add(unsigned: 1)
        bits.add(unsigned: distance - 1)
      }
      if picture.releases != nil { bits.add(unsigned: 0) }
    }
    bits.add(unsigned: 0)
    if isCopy {
      bits.add(unsigned: 1)
    } else {
      // The macroblock has plain samples.
      bits.add(unsigned: 25)
      bits.align()
      for _ in 0..<384 { bits.add(128, 8) }
    }
    return bits.finished
  }

  /// Bits, most significant first.
  private struct Bits {
    private var bits: [UInt8] = []

    mutating func add(_ number: Int, _ count: Int) {
      for place in (0..<count).reversed() { bits.append(UInt8(number >> place & 1)) }
    }

    /// 9.1
    mutating func add(unsigned number: Int) {
      let length = Int.bitWidth - (number + 1).leadingZeroBitCount
      add(number + 1, 2 * length - 1)
    }

    mutating func align() {
      while bits.count % 8 != 0 { bits.append(0) }
    }

    /// The bytes, with a one after the last bit.
    var finished: [UInt8] {
      var copy = self
      copy.add(1, 1)
      copy.align()
      return stride(from: 0, to: copy.bits.count, by: 8).map { place in
        copy.bits[place..<place + 8].reduce(0) { $0 << 1 | $1 }
      }
    }
  }
}
