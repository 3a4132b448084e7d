import Media
import Recording
import Timeline

/// A track of a recording: how its samples are encoded, and the unit of their times.
public struct RecordingTrack {
  /// How the samples are encoded.
  public let parameters: StreamParameters
  /// Ticks per second of the times in the file.
  public let timescale: Int64

  /// Creates a track.
  ///
  /// - Parameters:
  ///   - parameters: how its samples are encoded. AAC needs its `AudioSpecificConfig` as parameter sets, and samples
  ///     without ADTS headers.
  ///   - timescale: ticks per second that represent the samples' times: for sound, its sample rate.
  public init(_ parameters: StreamParameters, timescale: Int64) {
    self.parameters = parameters
    self.timescale = timescale
  }

  /// Creates a video track.
  ///
  /// - Parameters:
  ///   - codec: the codec's name, such as `h264` or `hevc`.
  ///   - parameterSets: its parameter sets: an `avcC` or `hvcC` record, or units with start codes.
  ///   - timescale: ticks per second of the times in the file.
  /// - Throws: `MediaError` with code `unsupportedCodec`.
  public static func video(
    codec: String, size: PixelSize, parameterSets: [UInt8], timescale: Int64 = 90_000
  ) throws -> RecordingTrack {
    let parameters = try StreamParameters(codec: codec, parameterSets: parameterSets)
    parameters.setSize(size)
    return RecordingTrack(parameters, timescale: timescale)
  }

  /// Creates a sound track whose times are counted in samples.
  ///
  /// - Parameters:
  ///   - codec: the codec's name, such as `aac`.
  ///   - configuration: the codec's configuration: for AAC, its `AudioSpecificConfig`.
  /// - Throws: `MediaError` with code `unsupportedCodec`.
  public static func audio(
    codec: String, sampleRate: Int, channels: Int, configuration: [UInt8]
  ) throws -> RecordingTrack {
    let parameters = try StreamParameters(codec: codec, parameterSets: configuration)
    parameters.setSound(sampleRate: sampleRate, channels: channels)
    return RecordingTrack(parameters, timescale: Int64(sampleRate))
  }

  /// The kind of media; `nil` if it is neither pictures nor sound.
  var kind: TrackKind? {
    switch parameters.mediaKind {
    case .video: .video
    case .audio: .audio
    case .other: nil
    }
  }
}
