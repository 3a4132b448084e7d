/// A container that a job can be finished in.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
  /// MPEG-4, ISO/IEC 14496-14.
  case mp4
  /// QuickTime.
  case mov
  /// MPEG-4 by Apple's name.
  case m4v
  /// Matroska.
  case mkv
  /// WebM.
  case webm
  /// MPEG-4 with sound alone.
  case m4a
}

extension FileType {
  /// The codecs of pictures that it can hold.
  public var videoCodecs: [VideoSettings.Codec] {
    switch self {
    case .mp4: [.h264, .hevc, .av1, .vp9]
    case .mov: [.h264, .hevc, .prores]
    case .m4v: [.h264, .hevc]
    case .mkv: [.h264, .hevc, .av1, .vp9, .prores]
    case .webm: [.av1, .vp9]
    case .m4a: []
    }
  }

  /// The codecs of sound that it can hold.
  public var audioCodecs: [AudioSettings.Codec] {
    switch self {
    case .mp4: [.aac, .opus, .flac, .alac]
    case .mov: [.aac, .alac, .pcm]
    case .m4v, .m4a: [.aac, .alac]
    case .mkv: [.aac, .opus, .flac, .alac, .pcm]
    case .webm: [.opus]
    }
  }

  /// Whether it is Matroska or WebM, whose times are whole milliseconds.
  public var isMatroska: Bool { self == .mkv || self == .webm }

  /// The media type of a file, with or without pictures.
  public func contentType(hasVideo: Bool) -> String {
    let kind = hasVideo ? "video" : "audio"
    switch self {
    case .mp4, .m4a: return "\(kind)/mp4"
    case .mov: return "video/quicktime"
    case .m4v: return "video/x-m4v"
    case .mkv: return "\(kind)/x-matroska"
    case .webm: return "\(kind)/webm"
    }
  }
}
