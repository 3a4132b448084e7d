import CFFmpeg
import Timeline

/// The format in which a capture device delivers pictures or sound.
public enum CapturedFormat: Hashable, Sendable {
  /// Pictures, each of which is one packet.
  public struct Pictures: Hashable, Sendable {
    /// libav's name of the codec: `rawvideo`, `mjpeg` or `h264` with start codes.
    public var codec: String
    /// libav's name of the layout of uncompressed pictures, whose rows follow one another without gaps.
    public var pixelFormat: String?
    /// Width and height in pixels.
    public var size: PixelSize
    /// Pictures per second, if the device states them.
    public var frameRate: RationalTime?
    /// The field that was captured first; `nil` if the pictures are progressive.
    public var firstField: VideoSettings.Field?
    /// The color tags.
    public var color: ColorTags

    /// Creates a format.
    public init(
      codec: String, pixelFormat: String?, size: PixelSize, frameRate: RationalTime?,
      firstField: VideoSettings.Field?, color: ColorTags
    ) {
      self.codec = codec
      self.pixelFormat = pixelFormat
      self.size = size
      self.frameRate = frameRate
      self.firstField = firstField
      self.color = color
    }
  }

  /// Uncompressed sound with interleaved channels.
  public struct Sound: Hashable, Sendable {
    /// libav's name of the codec, such as `pcm_s16le`.
    public var codec: String
    /// Samples per second.
    public var sampleRate: Int
    /// The number of channels.
    public var channels: Int

    /// Creates a format.
    public init(codec: String, sampleRate: Int, channels: Int) {
      self.codec = codec
      self.sampleRate = sampleRate
      self.channels = channels
    }
  }

  /// Pictures of a video device.
  case pictures(Pictures)
  /// Sound of a sound card.
  case sound(Sound)
}

extension LiveDemuxer.Stream {
  /// A stream of a capture device, with times of ``LiveClock/fine``.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec`.
  public init(_ format: CapturedFormat, index: Int) throws {
    let parameters: StreamParameters
    var rate: RationalTime?
    switch format {
    case .pictures(let pictures):
      parameters = try StreamParameters(codec: pictures.codec, parameterSets: [])
      parameters.setSize(pictures.size)
      parameters.setPixelFormat(named: pictures.pixelFormat)
      parameters.setColor(pictures.color, firstField: pictures.firstField)
      rate = pictures.frameRate
    case .sound(let sound):
      parameters = try StreamParameters(codec: sound.codec, parameterSets: [])
      parameters.setSound(sampleRate: sound.sampleRate, channels: sound.channels)
    }
    self.init(
      index: index, identifier: index, mediaKind: parameters.mediaKind,
      timeBase: try RationalTime(1, LiveClock.fine.ticksPerSecond), parameters: parameters,
      averageFrameRate: rate, pixelAspectRatio: nil)
  }
}

extension StreamParameters {
  fileprivate func setPixelFormat(named name: String?) {
    guard let name else { return }
    pointer.pointee.format = av_get_pix_fmt(name).rawValue
  }

  fileprivate func setColor(_ color: ColorTags, firstField: VideoSettings.Field?) {
    pointer.pointee.color_primaries = color.libavPrimaries
    pointer.pointee.color_trc = color.libavTransfer
    pointer.pointee.color_space = color.libavMatrix
    pointer.pointee.color_range = color.libavRange
    pointer.pointee.field_order =
      switch firstField {
      case nil: AV_FIELD_PROGRESSIVE
      case .top: AV_FIELD_TT
      case .bottom: AV_FIELD_BB
      }
  }
}
