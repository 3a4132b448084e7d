import CFFmpeg
import Timeline

/// The libav libraries of this process, and the codecs that Sheaf can need of them.
public enum MediaInventory {
  /// A version of a libav library.
  public struct Version: Hashable, Sendable, CustomStringConvertible {
    let major: Int
    let minor: Int
    let micro: Int

    init(_ major: Int32, _ minor: Int32, _ micro: Int32) {
      (self.major, self.minor, self.micro) = (Int(major), Int(minor), Int(micro))
    }

    init(_ number: UInt32) {
      (major, minor, micro) = (Int(number >> 16), Int(number >> 8 & 0xFF), Int(number & 0xFF))
    }

    /// The version with dots, e.g. `59.37.100`.
    public var description: String { "\(major).\(minor).\(micro)" }
  }

  /// A libav library.
  public struct Library: Hashable, Sendable {
    /// The name, e.g. `libavcodec`.
    public let name: String
    /// The version of the headers that Sheaf was compiled with.
    public let built: Version
    /// The version that is loaded.
    public let loaded: Version

    /// Whether the loaded version has the same interface, and everything that the headers declare.
    public var isRecent: Bool {
      loaded.major == built.major
        && (loaded.minor, loaded.micro) >= (built.minor, built.micro)
    }
  }

  /// The version of FFmpeg, e.g. `5.1.8-0+deb12u1`.
  public static var version: String {
    av_version_info().map { String(cString: $0) } ?? "unknown"
  }

  /// The libraries.
  public static let libraries = [
    Library(
      name: "libavformat",
      built: Version(
        LIBAVFORMAT_VERSION_MAJOR, LIBAVFORMAT_VERSION_MINOR, LIBAVFORMAT_VERSION_MICRO),
      loaded: Version(avformat_version())),
    Library(
      name: "libavcodec",
      built: Version(
        LIBAVCODEC_VERSION_MAJOR, LIBAVCODEC_VERSION_MINOR, LIBAVCODEC_VERSION_MICRO),
      loaded: Version(avcodec_version())),
    Library(
      name: "libavfilter",
      built: Version(
        LIBAVFILTER_VERSION_MAJOR, LIBAVFILTER_VERSION_MINOR, LIBAVFILTER_VERSION_MICRO),
      loaded: Version(avfilter_version())),
    Library(
      name: "libavutil",
      built: Version(LIBAVUTIL_VERSION_MAJOR, LIBAVUTIL_VERSION_MINOR, LIBAVUTIL_VERSION_MICRO),
      loaded: Version(avutil_version())),
    Library(
      name: "libswscale",
      built: Version(LIBSWSCALE_VERSION_MAJOR, LIBSWSCALE_VERSION_MINOR, LIBSWSCALE_VERSION_MICRO),
      loaded: Version(swscale_version())),
    Library(
      name: "libswresample",
      built: Version(
        LIBSWRESAMPLE_VERSION_MAJOR, LIBSWRESAMPLE_VERSION_MINOR, LIBSWRESAMPLE_VERSION_MICRO),
      loaded: Version(swresample_version())),
  ]

  /// The encoders that export settings can select, by codec.
  public static let encoders: [String: String] = {
    var encoders: [String: String] = [:]
    for codec in VideoSettings.Codec.allCases { encoders[codec.rawValue] = codec.encoderName }
    for codec in AudioSettings.Codec.allCases {
      encoders[codec.rawValue] = SampleLayout(AudioEncoder.Settings(codec: codec)).encoderName
    }
    return encoders
  }()

  /// The decoders that may be used for input, sorted.
  public static let decoders = AllowedDecoders.names.sorted()

  /// Whether libavcodec has an encoder.
  public static func hasEncoder(_ name: String) -> Bool {
    avcodec_find_encoder_by_name(name) != nil
  }

  /// Whether libavcodec has a decoder.
  public static func hasDecoder(_ name: String) -> Bool {
    avcodec_find_decoder_by_name(name) != nil
  }
}
