import CFFmpeg
import Timeline

/// The sample format of an encoder, and the conversion from planar floats to it.
///
/// Integers are rounded to nearest, without dither: silence stays silence, and samples decoded from 16 bits become the
/// same 16 bits again.
struct SampleLayout {
  /// libavcodec's encoder.
  let encoderName: String
  let format: AVSampleFormat
  private let bits: Int

  init(_ settings: AudioEncoder.Settings) {
    let isDeep = settings.bitDepth > 16
    bits = settings.bitDepth
    switch settings.codec {
    case .aac: (encoderName, format) = ("aac", AV_SAMPLE_FMT_FLTP)
    case .opus: (encoderName, format) = ("libopus", AV_SAMPLE_FMT_FLT)
    case .flac:
      (encoderName, format) = ("flac", isDeep ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16)
    case .alac:
      (encoderName, format) = ("alac", isDeep ? AV_SAMPLE_FMT_S32P : AV_SAMPLE_FMT_S16P)
    case .pcm:
      (encoderName, format) =
        isDeep ? ("pcm_s24le", AV_SAMPLE_FMT_S32) : ("pcm_s16le", AV_SAMPLE_FMT_S16)
    }
  }

  /// Writes samples, the same number per channel, into a frame that has room for them.
  func write(_ channels: [ArraySlice<Float>], to frame: Frame) {
    let isPlanar = av_sample_fmt_is_planar(format) == 1
    for (channel, samples) in channels.enumerated() {
      guard let plane = frame.pointer.pointee.extended_data[isPlanar ? channel : 0] else {
        continue
      }
      let (first, step) = isPlanar ? (0, 1) : (channel, channels.count)
      switch av_get_packed_sample_fmt(format) {
      case AV_SAMPLE_FMT_S16:
        store(samples, plane, first, step) { Int16(Self.rounded($0, bits: 16)) }
      case AV_SAMPLE_FMT_S32:
        store(samples, plane, first, step) { Int32(Self.rounded($0, bits: bits)) << (32 - bits) }
      default: store(samples, plane, first, step) { $0 }
      }
    }
  }

  private func store<Sample>(
    _ samples: ArraySlice<Float>, _ plane: UnsafeMutablePointer<UInt8>, _ first: Int, _ step: Int,
    _ convert: (Float) -> Sample
  ) {
    let target = UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Sample.self)
    var place = first
    for sample in samples {
      target[place] = convert(sample)
      place += step
    }
  }

  /// A sample from −1 to 1 as an integer of the given number of bits, clipped at the upper end.
  private static func rounded(_ sample: Float, bits: Int) -> Int {
    let one = Double(1 << (bits - 1))
    return Int(min(max((Double(sample) * one).rounded(.toNearestOrEven), -one), one - 1))
  }
}
