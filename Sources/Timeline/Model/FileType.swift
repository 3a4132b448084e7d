/// A container for the output of a job.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
  /// MPEG-4, ISO/IEC 14496-14.
  case mp4 = "mp4"
  /// QuickTime.
  case mov = "mov"
  /// Apple's variant of MPEG-4.
  case m4v = "m4v"
  /// Matroska.
  case mkv = "mkv"
  /// WebM.
  case webm = "webm"
  /// Audio-only MPEG-4.
  case m4a = "m4a"
}

extension FileType {
  /// The supported video codecs.
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

  /// The supported audio codecs.
  public var audioCodecs: [AudioSettings.Codec] {
    switch self {
    case .mp4: [.aac, .opus, .flac, .alac]
    case .mov: [.aac, .alac, .pcm]
    case .m4v, .m4a: [.aac, .alac]
    case .mkv: [.aac, .opus, .flac, .alac, .pcm]
    case .webm: [.opus]
    }
  }

  /// The default video codec; `nil` for an audio-only file.
  public var usualVideoCodec: VideoSettings.Codec? {
    videoCodecs.contains(.h264) ? .h264 : videoCodecs.last
  }

  /// The default audio codec.
  public var usualAudioCodec: AudioSettings.Codec { audioCodecs.contains(.aac) ? .aac : .opus }

  /// Whether the container is Matroska or WebM, whose times are whole milliseconds.
  public var isMatroska: Bool { self == .mkv || self == .webm }

  /// The media type of a file with or without video.
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
