import CFFmpeg
import CHEIF
import CWebP
import Timeline

/// The versions of the libraries that decide a chunk's bytes.
public enum MediaVersions {
  /// One line that names libavformat, libavcodec, libswscale, libswresample, libavfilter and libavutil with their
  /// builds, the encoders and decoders behind them (libx264, libx265, SVT-AV1, libvpx and dav1d), and libheif and libwebp.
  public static let fingerprint: String = {
    let libraries = [
      ("avformat", avformat_version()), ("avcodec", avcodec_version()),
      ("avutil", avutil_version()), ("swscale", swscale_version()),
      ("swresample", swresample_version()), ("avfilter", avfilter_version()),
    ]
    let versions = libraries.map { name, version in
      "\(name) \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }
    let build = av_version_info().map { String(cString: $0) } ?? "unknown"
    let loaded = LoadedLibrary.allCases.map { "\($0.rawValue) \($0.version ?? "none")" }
    let webp = WebPGetDemuxVersion()
    let pictures = [
      "heif \(String(cString: heif_get_version()))",
      "webp \(webp >> 16).\(webp >> 8 & 0xFF).\(webp & 0xFF)",
    ]
    return (versions + ["ffmpeg \(build)", encoderVersion ?? "x264 unknown"] + loaded + pictures)
      .joined(separator: ", ")
  }()

  /// libx264's own version text, e.g. `x264 - core 164 r3095 baee400`, which it writes into its first packet.
  private static let encoderVersion: String? = {
    guard let frameDuration = try? RationalTime(1, 25),
      let encoder = try? VideoEncoder(
        VideoEncoderSettings(
          size: PixelSize(width: 64, height: 64), frameDuration: frameDuration,
          preset: "ultrafast")),
      let picture = try? Frame(width: 64, height: 64, pixelFormat: .yuv420p),
      let packet = try? Packet()
    else { return nil }
    try? encoder.send(picture)
    try? encoder.send(nil)
    guard (try? encoder.receive(into: packet)) == .packet else { return nil }
    return packet.withUnsafeBytes { bytes in
      guard let start = bytes.firstRange(of: Array("x264 - core".utf8))?.lowerBound else {
        return nil
      }
      let text = String(decoding: bytes[start...].prefix(80), as: UTF8.self)
      return text.components(before: " - H.264")
    }
  }()
}

extension String {
  /// The text before the first occurrence of `mark`, or all of it if there is none.
  fileprivate func components(before mark: String) -> String {
    firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
  }
}
