import CFFmpeg

/// What decides the bytes of a chunk beside its description: the libraries that decode, scale and encode.
public enum Fingerprint {
  /// The fingerprint of this process, e.g. `libav 5.1.6-0+deb12u1 59.37.100 6.7.100 57.28.100 x86_64`.
  ///
  /// Debian's libavcodec names its own build, and is built against one libx264.
  public static let current: String = {
    let versions = [avcodec_version(), swscale_version(), avutil_version()].map { version in
      "\(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
    }
    return (["libav", String(cString: av_version_info())] + versions + [architecture])
      .joined(separator: " ")
  }()

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "arm64"
  #else
    private static let architecture = "unknown"
  #endif
}
