import CFFmpeg

/// The colors that a container declares for its AV1 streams. libavformat replaces them with those of the sequence
/// headers, even if these declare none, although the container takes precedence (AV1 Codec ISO Media File Format
/// Binding, 2.3.4).
struct DeclaredColors {
  private struct Color {
    var stream: Int
    var primaries: AVColorPrimaries
    var transfer: AVColorTransferCharacteristic
    var matrix: AVColorSpace
  }

  private var colors: [Color] = []

  /// Reads the declarations of an open file whose streams have not been analyzed yet.
  init(of context: UnsafeMutablePointer<AVFormatContext>) {
    for stream in 0..<Int(context.pointee.nb_streams) {
      guard let own = context.pointee.streams[stream]?.pointee.codecpar?.pointee,
        own.codec_id == AV_CODEC_ID_AV1
      else { continue }
      colors.append(
        Color(
          stream: stream, primaries: own.color_primaries, transfer: own.color_trc,
          matrix: own.color_space))
    }
  }

  /// Restores the declared colors that the sequence headers leave unspecified.
  func complete(_ context: UnsafeMutablePointer<AVFormatContext>) {
    for color in colors {
      guard let own = context.pointee.streams[color.stream]?.pointee.codecpar else { continue }
      if own.pointee.color_primaries == AVCOL_PRI_UNSPECIFIED {
        own.pointee.color_primaries = color.primaries
      }
      if own.pointee.color_trc == AVCOL_TRC_UNSPECIFIED { own.pointee.color_trc = color.transfer }
      if own.pointee.color_space == AVCOL_SPC_UNSPECIFIED {
        own.pointee.color_space = color.matrix
      }
    }
  }
}
