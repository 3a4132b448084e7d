import Capture
import Foundation

/// Frames of two channels whose samples contain their number.
enum NumberedFrames {
  /// An odd number, by which a multiplication modulo 2^32 can be undone.
  private static let factor: UInt32 = 2_654_435_761
  private static let inverse: UInt32 = 244_002_641

  /// Writes the frames from 1 to a file without a header.
  static func write(_ count: Int, as sample: CapturedSoundFormat.Sample, to path: String) throws {
    var bytes: [UInt8] = []
    for number in 1...UInt32(count) {
      let value = number &* factor
      let both = sample == .s16le ? [value] : [value, ~value]
      for each in both { withUnsafeBytes(of: each.littleEndian) { bytes += $0 } }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// The numbers of frames; 0 for silence, `nil` for what is not one of the frames.
  static func numbers(
    in bytes: UnsafeRawBufferPointer, as sample: CapturedSoundFormat.Sample
  ) -> [UInt32?] {
    let size = sample == .s16le ? 4 : 8
    return stride(from: 0, to: bytes.count, by: size).map { place in
      let value = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      if size == 8 {
        let other = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        guard other == ~value || value == 0 && other == 0 else { return nil }
      }
      return value &* inverse
    }
  }
}
