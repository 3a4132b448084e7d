/// A sample format of ALSA (`SNDRV_PCM_FORMAT_…` of <sound/asound.h>).
package struct SampleFormat: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let u8 = SampleFormat(rawValue: 1)
  package static let s16 = SampleFormat(rawValue: 2)
  /// In the low three of four bytes.
  package static let s24 = SampleFormat(rawValue: 6)
  package static let s32 = SampleFormat(rawValue: 10)
  package static let float = SampleFormat(rawValue: 14)
  /// In three bytes.
  package static let s24InThreeBytes = SampleFormat(rawValue: 32)

  /// The supported formats, the preferred one first.
  package static let preferred = [s16, s32, s24InThreeBytes, s24, float, u8]

  /// A set of formats, with bit n for the format n.
  package static func mask(of formats: [SampleFormat]) -> UInt64 {
    formats.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }

  /// The format in which samples are delivered; `nil` if it is not supported.
  package var sample: CapturedSoundFormat.Sample? {
    switch self {
    case .u8: .u8
    case .s16: .s16le
    // They are moved to the high three bytes.
    case .s24: .s32le
    case .s32: .s32le
    case .float: .f32le
    case .s24InThreeBytes: .s24le
    default: nil
    }
  }
}
