import Timeline

/// A track of a part of a recording.
public struct RecordedTrack: Hashable, Codable, Sendable {
  /// The kind of media.
  public var kind: TrackKind
  /// The codec's name, such as `h264`.
  public var codec: String
  /// The width of the pictures in pixels; 0 for sound.
  public var width: Int
  /// The height of the pictures in pixels; 0 for sound.
  public var height: Int
  /// Samples per second of sound; 0 for video.
  public var sampleRate: Int
  /// The channels of sound; 0 for video.
  public var channels: Int

  /// Creates a description.
  public init(
    kind: TrackKind, codec: String, width: Int, height: Int, sampleRate: Int, channels: Int
  ) {
    self.kind = kind
    self.codec = codec
    self.width = width
    self.height = height
    self.sampleRate = sampleRate
    self.channels = channels
  }
}

extension RecordedTrack {
  /// The codec and the size or the sample rate, such as `h264, 1920 × 1080`.
  public var summary: String {
    switch kind {
    case .video: "\(codec), \(width) × \(height)"
    case .audio: "\(codec), \(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"
    }
  }
}

/// A part of a recording: from one start of the source's clock to the next, in one format.
public struct RecordedPart: Hashable, Codable, Sendable {
  /// Its number, from 1 on.
  public var number: Int
  /// When it begins, in seconds from the start of the recording.
  public var start: RationalTime
  /// Its tracks.
  public var tracks: [RecordedTrack]

  /// Creates a description.
  public init(number: Int, start: RationalTime, tracks: [RecordedTrack]) {
    self.number = number
    self.start = start
    self.tracks = tracks
  }

  /// The name of its folder.
  public var folderName: String { Self.folderName(number) }

  /// The name of a part's folder.
  public static func folderName(_ number: Int) -> String { "part-\(number)" }
}

/// Something that a recorder did.
public enum RecorderEvent: Hashable, Codable, Sendable {
  /// A part began.
  case began(RecordedPart)
  /// A fragment of a part is complete on the disk.
  case wrote(part: Int, RecordedFragment)
  /// A part ended, with these losses.
  case ended(part: Int, RecordingLosses)
  /// A stream of the source is not recorded, for this reason.
  case ignored(String)
}
